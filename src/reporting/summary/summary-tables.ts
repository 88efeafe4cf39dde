import { fillText } from '../../common/text/fill-text.js';
import { localIso } from '../../common/text/local-time.js';
import { formatMoney } from '../../common/money/money.js';
import { methodInWords } from '../../donations/store/method-names.js';
import type { PoolFigures } from '../../match/pool-reports.service.js';
import type { PledgeConversionDto } from '../../pledges/dto/pledge-conversion.dto.js';
import type { ReceiptWording } from '../../receipts/receipt-wording.js';
import type { EventSummary } from './summary.service.js';
import { cashDifference, type CurrencySummary, type ShiftCash, type Sum } from './summary.js';
import type { SummaryWording } from './summary-wording.js';

/** Tables of a summary as text. The PDF and the CSV use the same tables. */

/** Mark after the name of a line whose amount is not part of the total. */
export const OUTSIDE = ' *';

export interface SummaryLine {
  readonly name: string;
  /** Number of donations or payments; null if the line has no such number. */
  readonly count: number | null;
  /** Null if the line has only one amount, `net`. */
  readonly amount: bigint | null;
  readonly refunded: bigint | null;
  /** Null if the amount is not known. */
  readonly net: bigint | null;
}

export interface SummaryTable {
  readonly title: string;
  readonly lines: readonly SummaryLine[];
  /** Titles of `amount`, `refunded` and `net`, if the three are not received, refunded and remaining. */
  readonly columns?: readonly [string, string, string];
}

export interface Words {
  readonly summary: SummaryWording;
  readonly types: ReceiptWording['types'];
  readonly timezone: string;
  /** BCP 47. */
  readonly locale: string;
  /** Language of the texts. */
  readonly language: string;
}

const line = (name: string, { count, amount, refunded, net }: Sum): SummaryLine => ({
  name,
  count,
  amount,
  refunded,
  net,
});

const only = (name: string, count: number | null, net: bigint | null): SummaryLine => ({
  name,
  count,
  amount: null,
  refunded: null,
  net,
});

/** @param summary the event's rounds, shifts and match pools; the tables omit those in other currencies */
export function summaryTables(
  block: CurrencySummary,
  { pledgeRounds, cash, matchPools }: Pick<EventSummary, 'pledgeRounds' | 'cash' | 'matchPools'>,
  { summary: words, types, timezone, locale, language }: Words,
): SummaryTable[] {
  const { explanation, fees, refunds, disputes } = block;
  const made = explanation.lines.map(({ kind, type, count, amount, inTotal }) =>
    only(`${words.lines[kind]}: ${types[type]}${inTotal ? '' : OUTSIDE}`, count, amount),
  );
  const tables: readonly SummaryTable[] = [
    { title: words.ledger, lines: ledgerLines(block, words) },
    {
      title: words.byType,
      lines: [
        ...block.byType.map(({ type, ...sum }) => line(types[type], sum)),
        ...outsideLines(block, words, types),
      ],
    },
    {
      title: words.byMethod,
      lines: block.byType.flatMap(({ type, methods }) =>
        methods.map(({ method, wallet, ...sum }) => {
          const name = method === null ? words.methodUnknown : methodInWords(method, wallet, language);
          return line(`${types[type]}: ${name}`, sum);
        }),
      ),
    },
    {
      title: `${words.online} / ${words.offline}`,
      lines: [line(words.online, block.online), line(words.offline, block.offline)],
    },
    {
      title: words.byStaff,
      lines: block.byStaff.map(({ staffName, ...sum }) => line(staffName ?? words.none, sum)),
    },
    {
      title: words.byTerminal,
      lines: block.byTerminal
        .filter(({ terminalId }) => terminalId !== null)
        .map(({ terminalName, ...sum }) => line(terminalName ?? words.none, sum)),
    },
    {
      title: words.cash,
      columns: [words.expected, words.counted, words.difference],
      lines: cash
        .filter(({ currency }) => currency === block.currency)
        .map((shift) => cashLine(shift, words, timezone)),
    },
    {
      title: words.byHour,
      // At the end of summer time, one hour occurs twice. The offset distinguishes the two.
      lines: block.byHour.map(({ from, ...sum }) => line(hourOf(from, timezone), sum)),
    },
    {
      title: words.rounds,
      // Rounds are listed in the order in which they were opened.
      lines: pledgeRounds.data
        .filter(({ currency }) => currency === block.currency)
        .toReversed()
        .flatMap((round) => linesOfRound(round, words, locale)),
    },
    ...matchPools
      .filter(({ currency }) => currency === block.currency)
      .map((pool) => ({ title: `${words.pool.title}: ${pool.name}`, lines: linesOfPool(pool, words) })),
    { title: words.made, lines: made },
    {
      title: words.fees,
      lines: [
        only(words.feesKnown, fees.known, fees.amount),
        only(words.feesUnknown, fees.unknown, null),
        ...fees.others.map(({ currency, amount }) =>
          only(`${words.feesElsewhere}: ${formatMoney(amount, currency, locale)}`, null, null),
        ),
        ...fees.disputes
          .filter(({ currency }) => currency === block.currency)
          .map(({ amount }) => only(words.disputeFees, disputes.lost + disputes.open, amount)),
      ],
    },
    {
      title: words.refunds,
      lines: [
        only(words.refunds, refunds.count, refunds.amount),
        only(words.pending, refunds.pendingCount, refunds.pending),
        only(words.lost, disputes.lost, disputes.lostAmount),
        only(words.open, disputes.open, disputes.openAmount),
      ],
    },
  ];
  return tables
    .map((table) => ({ ...table, lines: table.lines.filter(isSomething) }))
    .filter(({ lines }) => lines.length > 0);
}

function cashLine(shift: ShiftCash, words: SummaryWording, timezone: string): SummaryLine {
  const opened = localIso(shift.openedAt, timezone).slice(0, 16).replace('T', ' ');
  const name = [shift.staffName, shift.terminalName, opened].filter(Boolean).join(', ');
  const net = cashDifference(shift);
  return {
    name: net === null ? `${name}: ${words.notCounted}` : name,
    count: null,
    amount: shift.expected,
    refunded: shift.counted,
    net,
  };
}

/** False if the number and the amount of the line are both zero. */
const isSomething = ({ count, net }: SummaryLine): boolean =>
  count === null || count > 0 || (net !== null && net !== 0n);

/** Returns the lines of the ledger, with the same words and order as in the dashboard. */
function ledgerLines({ explanation: { ledger } }: CurrencySummary, words: SummaryWording): SummaryLine[] {
  const { received, refunded, lost, fees, disputeFees, pledged } = ledger;
  const pledges = only(words.lines.pledged + OUTSIDE, pledged.count, pledged.amount);
  if (received.count === 0) return [pledges];
  const atMost = ledger.total - fees.amount - disputeFees.amount;
  return [
    only(words.received, received.count, received.amount),
    only(words.returned, refunded.count, -refunded.amount),
    only(words.lost, lost.count, -lost.amount),
    only(words.sum, null, ledger.total),
    only(words.fees, fees.count, -fees.amount),
    only(words.feesUnknown, ledger.feesUnknown, null),
    only(words.disputeFees, disputeFees.count, -disputeFees.amount),
    ledger.bank !== null
      ? only(words.bank, null, ledger.bank)
      : ledger.feesElsewhere > 0
        ? only(words.bankUnknown, null, null)
        : only(words.bankAtMost, null, atMost),
    pledges,
  ];
}

/**
 * Refunded or lost donations that are part of no total. With these lines, the received and refunded amounts equal those of the
 * ledger.
 */
const outsideLines = (
  { explanation }: CurrencySummary,
  words: SummaryWording,
  types: ReceiptWording['types'],
): SummaryLine[] =>
  explanation.lines
    .filter(({ kind, inTotal }) => !inTotal && (kind === 'refunded_whole' || kind === 'disputed'))
    .map(({ kind, type, count, amount }) =>
      line(`${words.lines[kind]}: ${types[type]}`, {
        count,
        amount: abs(amount),
        refunded: abs(amount),
        net: 0n,
      }),
    );

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

function linesOfRound(round: PledgeConversionDto, words: SummaryWording, locale: string): SummaryLine[] {
  const { amount, currency, name, count, sum, pledges } = round;
  const level = [formatMoney(BigInt(amount), currency, locale), name].filter(Boolean).join(' ');
  const parts: readonly (readonly [string, { readonly count: number; readonly sum: number }])[] = [
    [words.promised + OUTSIDE, { count, sum }],
    [words.keptAtTill, pledges.keptAtTill],
    [words.keptOnline, pledges.keptOnline],
    [words.lines.pledged + OUTSIDE, pledges.open],
    [words.returned + OUTSIDE, pledges.returned],
    [words.withdrawn + OUTSIDE, pledges.withdrawn],
  ];
  return parts.map(([part, one]) => only(`${level}: ${part}`, one.count, BigInt(one.sum)));
}

function linesOfPool(
  { cap, drawn, kept, settled, due, dueOn }: PoolFigures,
  words: SummaryWording,
): SummaryLine[] {
  const { pool } = words;
  const until = dueOn === null ? '' : ` (${fillText(pool.until, { date: dueOn })})`;
  return [
    only(pool.cap + OUTSIDE, null, cap),
    only(pool.drawn + OUTSIDE, drawn.count, drawn.amount),
    only(pool.kept + OUTSIDE, kept.count, kept.amount),
    only(pool.settled, settled.count, settled.amount),
    only(`${pool.due}${until}${OUTSIDE}`, null, due),
  ];
}

const hourOf = (from: Date, timezone: string): string => {
  const local = localIso(from, timezone);
  return `${local.slice(0, 10)} ${local.slice(11, 16)} (${local.slice(19)})`;
};

/** Text for a provider whose payouts are unknown. It names the provider by its id, as the lines of its payouts do. */
export const unknownPayouts = (
  words: SummaryWording,
  { provider, reason }: { readonly provider: string; readonly reason: string },
): string => {
  const text =
    reason === 'not_told' ? words.notTold : reason === 'not_permitted' ? words.notPermitted : words.notRead;
  return fillText(text, { provider });
};
