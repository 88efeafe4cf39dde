import { type Explanation, explanationOf, type ExplainRow, type Line } from './explanation.js';

/** One part of a ledger: the number of donations and their amount in minor units. */
export interface LedgerSum {
  readonly count: number;
  readonly amount: bigint;
}

/**
 * Money of one currency on its way from the donors to the bank. `received − refunded − lost = total`, and `total − fees −
 * disputeFees = bank`. Amounts are in minor units. Only `bank` can be negative.
 */
export interface Ledger {
  /** All payments that arrived, including those refunded later. */
  readonly received: LedgerSum;
  /** Full and partial refunds. */
  readonly refunded: LedgerSum;
  readonly lost: LedgerSum;
  readonly total: bigint;
  /** Known fees in this currency. */
  readonly fees: LedgerSum;
  /** Number of payments whose fee is not known yet. */
  readonly feesUnknown: number;
  /** Number of payments and disputes whose fee is in another currency. */
  readonly feesElsewhere: number;
  readonly disputeFees: LedgerSum;
  /** Amount that reaches the bank. Null while a fee is unknown or in another currency. */
  readonly bank: bigint | null;
  /** Pledges that are not paid; outside the total. */
  readonly pledged: LedgerSum;
}

/** A row of `EVENT_FEES`. */
export interface FeesRow {
  readonly currency: string;
  readonly known: number;
  readonly unknown: number;
  /** Number of payments and disputes with a fee in another currency. */
  readonly elsewhere: number;
  readonly fees: bigint;
  readonly disputes: number;
  readonly disputeFees: bigint;
}

const NO_FEES = { known: 0, unknown: 0, elsewhere: 0, fees: 0n, disputes: 0, disputeFees: 0n };

/** All rows that the calculation of a ledger needs, read in one snapshot. */
export interface LedgerRows {
  readonly explained: readonly ExplainRow[];
  readonly fees: readonly FeesRow[];
}

/** Calculates the ledger of an explained total, without side effects. */
export function ledgerOf(rows: LedgerRows, { currency, lines, total }: Explanation): Ledger {
  const received = rows.explained.filter(
    ({ part, currency: one, status }) =>
      part === 'sum' && one === currency && (status === 'COMPLETED' || status === 'REFUNDED'),
  );
  const paid = rows.fees.find((row) => row.currency === currency) ?? NO_FEES;
  const isKnown = paid.unknown === 0 && paid.elsewhere === 0;
  return {
    received: added(received),
    refunded: sumOf(lines, ({ kind }) => kind === 'refunded' || kind === 'refunded_whole'),
    lost: sumOf(lines, ({ kind }) => kind === 'disputed'),
    total,
    fees: { count: paid.known, amount: paid.fees },
    feesUnknown: paid.unknown,
    feesElsewhere: paid.elsewhere,
    disputeFees: { count: paid.disputes, amount: paid.disputeFees },
    bank: isKnown ? total - paid.fees - paid.disputeFees : null,
    pledged: sumOf(lines, ({ kind }) => kind === 'pledged'),
  };
}

const sumOf = (lines: readonly Line[], belongs: (line: Line) => boolean): LedgerSum =>
  added(lines.filter(belongs));

/** Adds the parts. A negative amount (deducted from the total) is added as a positive amount. */
const added = (parts: readonly LedgerSum[]): LedgerSum =>
  parts.reduce<LedgerSum>(
    (sum, { count, amount }) => ({
      count: sum.count + count,
      amount: sum.amount + (amount < 0n ? -amount : amount),
    }),
    { count: 0, amount: 0n },
  );

/** An explained total with its ledger. */
export interface ExplanationWithLedger extends Explanation {
  readonly ledger: Ledger;
}

export const withLedger = (rows: LedgerRows, currency: string, eventId: string): ExplanationWithLedger => {
  const explanation = explanationOf(rows.explained, currency, eventId);
  return { ...explanation, ledger: ledgerOf(rows, explanation) };
};
