import type { FieldProblem } from '../../common/errors/domain-errors.js';
import { MAX_OFFLINE_AMOUNT } from '../../common/money/money.js';
import { emailProblem, tidyEmail } from '../../common/text/email-address.js';
import { PADDLE } from '../../common/text/paddle.js';
import { textPattern, textProblem, tidyText } from '../../common/text/text.js';
import { brokenRule, type Rule } from '../../common/validation/broken-rule.js';
import { plainHeading } from '../../documents/table-file/guessed-columns.js';
import {
  ADDRESS_LENGTH,
  NAME_LENGTH,
  NOTE_LENGTH,
  REFERENCE_LENGTH,
} from '../../donations/dto/record-donation.dto.js';
import { type OfflineType, RECEIVED_TYPES } from '../../donations/store/donation-columns.js';
import { languagesOf, textsOf } from '../../pages/texts.js';
import type { DateOrder, Decimal, DonationImportField } from './donation-fields.js';
import { readAmount, readDay } from './written-values.js';

/*
 * Reads a row of a file as a donation, by the rules of `POST /donations`. The checks are called directly, because 20,000 objects
 * with decorators take 15 seconds.
 */

/** A donation in a row of a file. */
export interface DonationItem {
  /** The id of the donation in another system of the charity. */
  readonly ownId: string | null;
  readonly amount: bigint;
  /** The day on which the money arrived; null for a pledge. */
  readonly day: string | null;
  readonly type: OfflineType;
  readonly name: string | null;
  readonly email: string | null;
  readonly address: string | null;
  readonly paddle: string | null;
  readonly roundId: string | null;
  readonly reference: string | null;
  readonly note: string | null;
}

export type ReadDonation = { readonly item: DonationItem } | { readonly problems: readonly FieldProblem[] };

/** Rules for reading the rows of a file. */
export interface RowRules {
  readonly kind: 'pledges' | 'donations';
  readonly currency: string;
  readonly exponent: number;
  /** Undefined if the file does not show it, and no person chose it. */
  readonly decimal: Decimal | undefined;
  readonly dateOrder: DateOrder | undefined;
  /** Today at the event. */
  readonly today: string;
  /** Ids of the event's pledge rounds by their names in lower case. */
  readonly rounds: ReadonlyMap<string, string>;
}

const OWN_ID_LENGTH = 100;

/** The words of each type in the languages of the dashboard. An online payment of another system is of the type `other`. */
function typesByWord(): ReadonlyMap<string, OfflineType> {
  const words = new Map<string, OfflineType>([
    ['card', 'other'],
    ['wallet', 'other'],
  ]);
  for (const type of RECEIVED_TYPES) {
    words.set(plainHeading(type), type);
    for (const language of languagesOf('admin'))
      words.set(plainHeading(textsOf('admin', language)[`type.${type}`] ?? type), type);
  }
  return words;
}
let types: ReadonlyMap<string, OfflineType> | undefined;

type Cells = Readonly<Partial<Record<DonationImportField, string>>>;

/** Reads the cells of one row and collects their problems. */
class RowReader {
  readonly problems: FieldProblem[] = [];

  constructor(
    private readonly cells: Cells,
    private readonly rules: RowRules,
  ) {}

  text(field: DonationImportField, max: number, multiline = false): string | null {
    const text = tidyText(this.cells[field] ?? '');
    if (text === '') return null;
    const problem = textProblem(text, { max, multiline });
    if (problem === undefined) return text;
    const pattern = textPattern({ multiline, blank: true });
    return this.wrong(field, problem, brokenRule(text, { type: 'string', maxLength: max, pattern }));
  }

  email(): string | null {
    const email = tidyEmail(this.cells.email ?? '');
    if (email === '') return null;
    const problem = emailProblem(email);
    return problem === undefined ? email : this.wrong('email', problem, { rule: 'email' });
  }

  amount(field: 'amount' | 'refunded'): bigint | null {
    const cell = this.cells[field] ?? '';
    if (cell === '') return null;
    const { decimal, exponent } = this.rules;
    const amount = decimal === undefined ? undefined : readAmount(cell, decimal, exponent);
    if (amount === undefined) return this.wrong(field, 'must be an amount', { rule: 'pattern' });
    return amount > BigInt(MAX_OFFLINE_AMOUNT)
      ? this.wrong(field, 'is too large', { rule: 'maximum', limit: MAX_OFFLINE_AMOUNT })
      : amount;
  }

  /** The amount without the refunded part. */
  kept(): bigint | null {
    const amount = this.amount('amount');
    if ((this.cells.amount ?? '') === '') return this.wrong('amount', 'is required', { rule: 'required' });
    const kept = amount === null ? null : amount - (this.amount('refunded') ?? 0n);
    return kept !== null && kept <= 0n
      ? this.wrong('amount', 'must be above zero', { rule: 'pattern' })
      : kept;
  }

  day(): string | null {
    const cell = this.cells.date ?? '';
    if (cell === '') return this.wrong('date', 'is required', { rule: 'required' });
    const { dateOrder, today } = this.rules;
    const day = dateOrder && readDay(cell, dateOrder);
    return day === undefined || day > today
      ? this.wrong('date', 'must be a past day or today', { rule: 'date' })
      : day;
  }

  paddle(): string | null {
    const paddle = (this.cells.paddle ?? '').trim();
    if (paddle === '' || PADDLE.test(paddle)) return paddle || null;
    return this.wrong('paddle', 'must be 1 to 12 letters, digits or hyphens', { rule: 'pattern' });
  }

  /** Returns the value of a word; null if the cell is empty. */
  word<Value>(field: DonationImportField, values: { get(word: string): Value | undefined }): Value | null {
    const word = (this.cells[field] ?? '').trim().toLowerCase();
    if (word === '') return null;
    return values.get(word) ?? this.wrong(field, 'is unknown', { rule: 'choice' });
  }

  private wrong(field: string, problem: string, broken: { rule: Rule; limit?: number }): null {
    this.problems.push({ field, ...broken, message: `${field} ${problem}` });
    return null;
  }
}

const only = (word: string) => ({ get: (sent: string) => (sent === word ? sent : undefined) });
const byPlainWord = (words: ReadonlyMap<string, OfflineType>) => ({
  get: (sent: string) => words.get(plainHeading(sent)),
});

/** Reads the cells of a row as a pledge or a past donation. */
export function readDonation({ name, firstName, lastName, ...cells }: Cells, rules: RowRules): ReadDonation {
  types ??= typesByWord();
  const whole = name === undefined || name === '' ? [firstName, lastName].filter(Boolean).join(' ') : name;
  const reader = new RowReader({ ...cells, name: whole }, rules);
  const isPast = rules.kind === 'donations';
  reader.word('currency', only(rules.currency));
  // In the own CSV export, only completed donations are past donations.
  if (isPast) reader.word('status', only('completed'));
  const item = {
    ownId: reader.text('id', OWN_ID_LENGTH),
    amount: reader.kept(),
    day: isPast ? reader.day() : null,
    type: isPast ? (reader.word('type', byPlainWord(types)) ?? 'other') : 'pledge',
    name: reader.text('name', NAME_LENGTH),
    email: reader.email(),
    address: reader.text('address', ADDRESS_LENGTH, true),
    paddle: isPast ? null : reader.paddle(),
    roundId: isPast ? null : reader.word('round', rules.rounds),
    reference: reader.text('reference', REFERENCE_LENGTH),
    note: reader.text('note', NOTE_LENGTH, true),
  } as const;
  const { amount } = item;
  return amount === null || reader.problems.length > 0
    ? { problems: reader.problems }
    : { item: { ...item, amount } };
}
