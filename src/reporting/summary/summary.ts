import type { ExplanationWithLedger } from '../explain/ledger.js';
import { methodsOf } from '../methods/methods-of.js';
import type { DonationType } from '../../donations/store/donation-columns.js';

/** Calculates the figures of an event's summary, without side effects. Amounts are in minor units. */

export interface GroupRow {
  readonly part: 'type' | 'method' | 'staff' | 'terminal' | 'hour' | 'online';
  readonly currency: string;
  readonly type: DonationType | null;
  readonly method: string | null;
  readonly wallet: string | null;
  readonly staffId: string | null;
  readonly staffName: string | null;
  readonly terminalId: string | null;
  readonly terminalName: string | null;
  readonly online: boolean | null;
  readonly hour: Date | null;
  readonly count: number;
  readonly amount: bigint;
  readonly refunded: bigint;
}

export interface FeeRow {
  readonly currency: string;
  readonly feeCurrency: string | null;
  readonly count: number;
  readonly fee: bigint;
}

export interface OnItsWayRow {
  readonly part: 'refund' | 'dispute_fee';
  readonly currency: string;
  readonly count: number;
  readonly amount: bigint;
}

/** Cash of a shift. The amounts are null until the drawer is counted. */
export interface ShiftCash {
  readonly shiftId: string;
  readonly staffName: string;
  readonly terminalName: string | null;
  readonly currency: string;
  readonly openedAt: Date;
  readonly expected: bigint | null;
  readonly counted: bigint | null;
}

/** Counted less expected: negative if money is missing; null if the drawer is not counted. */
export const cashDifference = ({ expected, counted }: ShiftCash): bigint | null =>
  expected === null || counted === null ? null : counted - expected;

/** Sum of completed donations: received amount, refunded amount and net amount. */
export interface Sum {
  readonly count: number;
  readonly amount: bigint;
  readonly refunded: bigint;
  readonly net: bigint;
}

export interface FeeSum {
  readonly currency: string;
  readonly amount: bigint;
}

export interface CurrencySummary {
  readonly currency: string;
  readonly byType: readonly (Sum & {
    readonly type: DonationType;
    /** By payment method; empty if no method is known. Null: the donations whose method is not known. */
    readonly methods: readonly (Sum & { readonly method: string | null; readonly wallet: string | null })[];
  })[];
  readonly byStaff: readonly (Sum & { readonly staffId: string | null; readonly staffName: string | null })[];
  readonly byTerminal: readonly (Sum & {
    readonly terminalId: string | null;
    readonly terminalName: string | null;
  })[];
  readonly byHour: readonly (Sum & { readonly from: Date })[];
  readonly online: Sum;
  readonly offline: Sum;
  readonly fees: {
    /** Number of payments with a known fee, and number of payments with an unknown fee. */
    readonly known: number;
    readonly unknown: number;
    /** Sum of the fees in the currency of the block. */
    readonly amount: bigint;
    /** Fees in other currencies. They occur if the charity's account at the provider has another currency. */
    readonly others: readonly FeeSum[];
    readonly disputes: readonly FeeSum[];
  };
  readonly refunds: {
    readonly count: number;
    readonly amount: bigint;
    readonly pendingCount: number;
    readonly pending: bigint;
  };
  readonly disputes: {
    readonly lost: number;
    readonly lostAmount: bigint;
    readonly open: number;
    readonly openAmount: bigint;
  };
  readonly donorCount: number;
  /** The event's total. */
  readonly net: bigint;
  readonly explanation: ExplanationWithLedger;
}

export interface SummaryRows {
  readonly groups: readonly GroupRow[];
  readonly fees: readonly FeeRow[];
  readonly onItsWay: readonly OnItsWayRow[];
}

const sumOf = ({ count, amount, refunded }: Pick<GroupRow, 'count' | 'amount' | 'refunded'>): Sum => ({
  count,
  amount,
  refunded,
  net: amount - refunded,
});

const NOTHING: Sum = { count: 0, amount: 0n, refunded: 0n, net: 0n };

export function currencySummary(rows: SummaryRows, explanation: ExplanationWithLedger): CurrencySummary {
  const { currency } = explanation;
  const groups = rows.groups.filter((row) => row.currency === currency);
  const of = (part: GroupRow['part']) => groups.filter((row) => row.part === part);
  const fees = rows.fees.filter((row) => row.currency === currency);
  const pending = rows.onItsWay.find((row) => row.part === 'refund' && row.currency === currency);
  const side = (online: boolean): Sum => {
    const found = of('online').find((row) => row.online === online);
    return found ? sumOf(found) : NOTHING;
  };
  const lines = (kinds: readonly string[]) => explanation.lines.filter(({ kind }) => kinds.includes(kind));
  const refunded = lines(['refunded', 'refunded_whole']);
  const lost = lines(['disputed']);
  return {
    currency,
    byType: of('type').flatMap(({ type, ...row }) =>
      type === null ? [] : [{ type, ...sumOf(row), methods: methodSums(of('method'), type) }],
    ),
    byStaff: of('staff').map((row) => ({ staffId: row.staffId, staffName: row.staffName, ...sumOf(row) })),
    byTerminal: of('terminal').map(({ terminalId, terminalName, ...row }) => ({
      terminalId,
      terminalName,
      ...sumOf(row),
    })),
    byHour: of('hour').flatMap((row) => (row.hour ? [{ from: row.hour, ...sumOf(row) }] : [])),
    online: side(true),
    offline: side(false),
    fees: {
      known: total(fees.filter(({ feeCurrency }) => feeCurrency !== null)),
      unknown: total(fees.filter(({ feeCurrency }) => feeCurrency === null)),
      amount: fees.find(({ feeCurrency }) => feeCurrency === currency)?.fee ?? 0n,
      others: fees.flatMap(({ feeCurrency, fee }) =>
        feeCurrency === null || feeCurrency === currency ? [] : [{ currency: feeCurrency, amount: fee }],
      ),
      disputes: rows.onItsWay.filter(({ part }) => part === 'dispute_fee'),
    },
    refunds: {
      count: total(refunded),
      amount: absolute(refunded),
      pendingCount: pending?.count ?? 0,
      pending: pending?.amount ?? 0n,
    },
    disputes: {
      lost: total(lost),
      lostAmount: absolute(lost),
      open: explanation.underDispute.count,
      openAmount: explanation.underDispute.amount,
    },
    donorCount: explanation.donorCount,
    net: explanation.total,
    explanation,
  };
}

const methodSums = (rows: readonly GroupRow[], type: DonationType) =>
  methodsOf(rows, type).map(({ method, wallet, ...row }) => ({ method, wallet, ...sumOf(row) }));

const total = (rows: readonly { readonly count: number }[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0);

const absolute = (rows: readonly { readonly amount: bigint }[]): bigint =>
  rows.reduce((sum, { amount }) => sum + (amount < 0n ? -amount : amount), 0n);
