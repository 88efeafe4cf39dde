import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { newId } from '../../common/crypto/ids.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
import { Mailer } from '../../mail/mailer.service.js';
import { type DonationTopic, Outbox } from '../../outbox/outbox.js';
import { raiseReviewItem } from '../../review/review-items.js';
import { type Counted, moveTotals } from '../../totals/totals.js';
import {
  columnsWhere,
  DONATION_COLUMNS,
  type DonationField,
  type DonationRow,
  type NamedColumns,
  type NewDonation,
} from '../store/donation-columns.js';
import {
  type Beginning,
  type Cause,
  COUNTED,
  decide,
  type DonationState,
  type LifecycleFact,
  moveBy,
  STATE_TABLE,
  type StateTable,
} from './donation-lifecycle.js';
import {
  ATTACH_PAYMENT,
  type Beside,
  INSERT,
  insertValues,
  MARK_CHECKED,
  NOTE,
  POSTPONE_CHECK,
  SCHEDULE_CHECK,
  SET_RECEIPT_NUMBERS,
  SETTLED_CHECKS,
  UPDATE,
  updateValues,
} from '../store/donations.sql.js';
import { newDonation } from '../recording/new-donation.js';

/** Whether two column values are the same; dates and binary values by their content. */
function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (Buffer.isBuffer(one) && Buffer.isBuffer(other)) return one.equals(other);
  return one === other;
}

const ANNOUNCED = columnsWhere(({ announced }) => announced);

/**
 * What a change is announced as: `donation.created` once, when a donation first completes, then updates of what a
 * wall shows and retractions. A donation that is not in the totals, and was not, is nobody's news.
 */
export function topicsOf(before: DonationRow | undefined, after: DonationRow): DonationTopic[] {
  const completes = after.completed_at !== null && (before?.completed_at ?? null) === null;
  const topics: DonationTopic[] = completes ? ['donation.created'] : [];
  if (after.status !== COUNTED)
    return before?.status === COUNTED || completes ? [...topics, 'donation.retracted'] : [];
  const shown = before === undefined || ANNOUNCED.some((column) => !sameValue(before[column], after[column]));
  return completes || !shown ? topics : ['donation.updated'];
}

/** Injection token of the state table in force. */
export const STATES = Symbol('state table of donations');
export const STATES_PROVIDER = { provide: STATES, useValue: STATE_TABLE };

/** What happened to a donation, and who says so. */
export interface DonationChange {
  /** `edited` moves nothing: only columns change. */
  readonly fact: LifecycleFact | { readonly kind: 'edited' };
  /** What changes beside what the state table decides; written only when the fact is accepted. */
  readonly columns?: NamedColumns;
  readonly actor: Actor;
  readonly reason: string | null;
}

/** What may change a donation that stays in its state. */
const STAYS: ReadonlySet<DonationChange['fact']['kind']> = new Set(['edited', 'returned', 'grown']);
const CHANGEABLE = columnsWhere(({ changes }) => changes !== 'never' && changes !== 'apart');
const OF_DONOR = columnsWhere(({ changes }) => changes === 'by donor');

/**
 * The one write path: every change of a donation passes here. It asks the state table and writes row, history, outbox,
 * e-mail and totals in the caller's transaction, or nothing. The caller holds the row's lock.
 */
@Injectable()
export class DonationChanges {
  constructor(
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
    @Inject(STATES) private readonly table: StateTable,
  ) {}

  /** The row of a new donation, for those who write it by a statement of their own. */
  draft(given: NewDonation, beginning: Beginning): DonationRow {
    return newDonation(given, beginning, this.table);
  }

  /** Writes a new donation in the state that the table begins it in. */
  begin(
    tx: Transaction,
    given: NewDonation,
    beginning: Beginning,
    { actor, reason }: Pick<DonationChange, 'actor' | 'reason'>,
  ): DonationRow {
    const row = this.draft(given, beginning);
    const steps = [{ from: null, to: row.status }];
    tx.write(
      INSERT,
      insertValues(row, { steps, actor, reason, fields: [], messages: messagesOf(undefined, row) }),
      1,
    );
    this.follow(tx, undefined, row, actor);
    return row;
  }

  /** Whether the table lets a cause move the donation now. */
  allows(donation: DonationRow, cause: Cause): boolean {
    return moveBy(stateOf(donation), cause, this.table) !== undefined;
  }

  /**
   * Applies a change to a locked donation.
   * @returns the row as it is now; undefined when the table refuses the fact, or when nothing would change
   * The commit fails where the row's state is no longer `before.status`, which its lock rules out.
   */
  apply(tx: Transaction, before: DonationRow, change: DonationChange): DonationRow | undefined {
    const { fact, actor, reason } = change;
    const { path, next } =
      fact.kind === 'edited'
        ? { path: [], next: stateOf(before) }
        : decide(stateOf(before), fact, this.table);
    // Of a refused fact nothing is written, neither its columns. Amounts may change without a move.
    if (path.length === 0 && !STAYS.has(fact.kind)) return undefined;
    const now = new Date();
    const wanted: DonationRow = {
      ...before,
      ...change.columns,
      status: next.status,
      amount: next.amount,
      refunded_amount: next.refunded,
      completed_at: before.completed_at ?? (path.includes(COUNTED) ? now : null),
    };
    if (CHANGEABLE.every((column) => sameValue(before[column], wanted[column]))) return undefined;
    const after = { ...wanted, updated_at: now };
    const fields = changedDonorFields(before, after);
    const steps = path.map((to, index) => ({ from: path[index - 1] ?? before.status, to }));
    // A payment's id alone is no news; whatever a person did or money that moved is.
    if (path.length === 0 && (reason !== null || fields.length > 0))
      steps.push({ from: before.status, to: before.status });
    const messages = messagesOf(before, after);
    tx.write(UPDATE, updateValues(after, before.status, { steps, actor, reason, fields, messages }), 1);
    this.follow(tx, before, after, actor);
    return after;
  }

  /** Puts on record what a person should find in the history although the row stays as it is. */
  note(tx: Transaction, donation: Pick<DonationRow, 'id' | 'status'>, actor: Actor, reason: string): void {
    tx.write(NOTE, [newId(), donation.id, donation.status, actor.kind, actor.id, reason]);
  }

  /** Writes down which payment belongs to a donation that has none yet; no lock is needed for that. */
  async attachPayment(db: SqlExecutor, donationId: string, paymentId: string): Promise<void> {
    await db.query(ATTACH_PAYMENT, [donationId, paymentId]);
  }

  /** Remembers that the provider was asked about a donation just now. */
  async markChecked(db: SqlExecutor, donationId: string): Promise<void> {
    await db.query(MARK_CHECKED, [donationId]);
  }

  /** Says when a settled donation is asked about again: rarer and rarer, or soon when there was no answer. */
  async scheduleCheck(db: SqlExecutor, donationId: string, answered: boolean): Promise<void> {
    if (answered) await db.query(SCHEDULE_CHECK, [donationId, SETTLED_CHECKS]);
    else await db.query(POSTPONE_CHECK, [donationId]);
  }

  /** Writes the numbers of receipts on their donations, which the caller has locked. */
  async setReceiptNumbers(tx: Transaction, numbers: ReadonlyMap<string, string>): Promise<void> {
    if (numbers.size > 0) await tx.query(SET_RECEIPT_NUMBERS, [[...numbers.keys()], [...numbers.values()]]);
  }

  /** What comes with the row, its history and its outbox. */
  private follow(tx: Transaction, before: DonationRow | undefined, after: DonationRow, actor: Actor): void {
    this.outbox.raiseAfter(tx, after.event_id);
    // Of an offline donation nobody knows whether the donor wants an e-mail.
    const completes = topicsOf(before, after).includes('donation.created');
    if (completes && after.provider !== null && after.donor_email !== null)
      this.mailer.enqueueReceipt(tx, after.id);
    moveTotals(tx, after.id, countedOf(before), countedOf(after), () => tooMuch(tx, after, actor));
  }
}

/** What the outbox gets: about the donation itself, and about the round that a pledge is of. */
export function messagesOf(before: DonationRow | undefined, after: DonationRow): Beside['messages'] {
  const messages: Beside['messages'] = topicsOf(before, after).map((topic) => ({ topic, roundId: null }));
  return after.round_id !== null && after.status !== before?.status
    ? [...messages, { topic: 'pledge.round', roundId: after.round_id }]
    : messages;
}

/**
 * A total that passed its bound. What a person enters is refused; what a provider reports is money that exists, so
 * it is booked and a review item is raised.
 */
async function tooMuch(
  tx: Transaction,
  { id, event_id, currency }: DonationRow,
  actor: Actor,
): Promise<void> {
  if (actor.kind !== 'provider') throw totalOutOfRange(currency);
  const subject = `${event_id}:${currency}`;
  await raiseReviewItem(tx, { kind: 'total_out_of_range', subject, donationId: id, detail: { currency } });
}

export const totalOutOfRange = (currency: string): ConflictError =>
  new ConflictError(
    'TOTAL_OUT_OF_RANGE',
    `The event's total in ${currency} would be more than can be counted`,
  );

/** The fields of the API about the donor that differ, by name. */
export const changedDonorFields = (before: DonationRow, after: DonationRow): DonationField[] =>
  OF_DONOR.filter((column) => !sameValue(before[column], after[column])).flatMap(
    (column) => DONATION_COLUMNS[column].field ?? [],
  );

function stateOf(row: DonationRow): DonationState {
  return {
    status: row.status,
    paid: row.paid_at !== null || row.completed_at !== null,
    amount: row.amount,
    refunded: row.refunded_amount,
  };
}

/** What a donation adds to the totals; undefined while it is not in them. */
export const countedOf = (row: DonationRow | undefined): Counted | undefined =>
  row?.status === COUNTED
    ? {
        event_id: row.event_id,
        currency: row.currency,
        net: row.amount - row.refunded_amount,
        donor_key: row.donor_key,
      }
    : undefined;
