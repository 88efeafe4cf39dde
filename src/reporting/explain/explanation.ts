import type { DonationType } from '../../donations/store/donation-columns.js';
import type { Cancellation, MatchPart } from '../../donations/list/donation-filters.js';
import type { DonationStatus } from '../../donations/lifecycle/donation-lifecycle.js';
import type { PoolFigures, PoolSum } from '../../match/pool-reports.service.js';

/** Kinds of lines in an explained total. */
export const LINE_KINDS = [
  'counted',
  'refunded',
  'disputed',
  'corrected',
  'undone',
  'pledged',
  'pending',
  'failed',
  'cancelled',
  'pledge_paid',
  'refunded_whole',
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** Query of `GET /donations` that lists the donations of a line. */
export interface LineFilter {
  readonly eventId?: string;
  readonly currency: string;
  readonly status: DonationStatus;
  readonly type?: DonationType;
  readonly refunded?: true;
  readonly disputed?: 'lost' | 'open';
  readonly cancelledAs?: Cancellation;
}

/** Kinds of lines about match pools. They are in no total. */
export const MATCH_LINE_KINDS = ['matched', 'kept', 'settled'] as const;

/** Money of a match pool: drawn by donations, kept for pledges, or paid by the matcher. */
export interface MatchLine {
  readonly kind: (typeof MATCH_LINE_KINDS)[number];
  readonly poolId: string;
  readonly pool: string;
  readonly count: number;
  /** Minor units. */
  readonly amount: bigint;
  readonly filter: MatchLineFilter;
}

/** Query of `GET /donations` that lists the donations of a line about a match pool. */
export interface MatchLineFilter {
  readonly eventId: string;
  readonly currency: string;
  readonly matchPoolId: string;
  readonly matchPart: MatchPart;
  readonly status?: DonationStatus;
}

export interface Line {
  readonly kind: LineKind;
  readonly type: DonationType;
  readonly count: number;
  /** Minor units; negative for amounts deducted from the total. */
  readonly amount: bigint;
  readonly inTotal: boolean;
  readonly filter: LineFilter;
}

/** A row of `EXPLAIN_EVENT`. */
export interface ExplainRow {
  readonly part: 'total' | 'sum' | 'lost' | 'cancelled' | 'disputed';
  readonly currency: string;
  readonly type: DonationType | null;
  readonly status: DonationStatus | null;
  readonly how: Cancellation | null;
  /** Number of donations; in a row with the part `total`, number of donors. */
  readonly count: number;
  readonly amount: bigint;
  /**
   * In a row with the part `sum`: number of donations with a refund or loss. In a row with the part `lost`: number of donations
   * whose refunded amount was lost completely in disputes.
   */
  readonly returns: number;
  readonly returned: bigint;
}

export interface Explanation {
  readonly currency: string;
  readonly total: bigint;
  readonly donorCount: number;
  readonly lines: readonly Line[];
  /** Donations in the total that have an open dispute. Their banks may still take the money back. */
  readonly underDispute: { readonly count: number; readonly amount: bigint; readonly filter: LineFilter };
}

const OPEN: Readonly<Record<'PENDING' | 'FAILED', (type: DonationType) => LineKind>> = {
  PENDING: (type) => (type === 'pledge' ? 'pledged' : 'pending'),
  FAILED: () => 'failed',
};

const CANCELLED: Readonly<Record<Cancellation, LineKind>> = {
  unpaid: 'cancelled',
  corrected: 'corrected',
  undone: 'undone',
  paid_online: 'pledge_paid',
};

/** Returns the lines of one currency, without side effects. The lines that are part of the total come first. */
export function explanationOf(
  rows: readonly ExplainRow[],
  currency: string,
  eventId: string | undefined,
): Explanation {
  const own = rows.filter((row) => row.currency === currency);
  const total = own.find(({ part }) => part === 'total');
  const disputed = own.find(({ part }) => part === 'disputed');
  const scope = { ...(eventId !== undefined && { eventId }), currency };
  const lines = own
    .flatMap((row) => linesOf(row, own, scope))
    .filter(({ count }) => count > 0)
    .sort((one, other) => orderOf(one) - orderOf(other));
  return {
    currency,
    total: total?.amount ?? 0n,
    donorCount: total?.count ?? 0,
    lines,
    underDispute: {
      count: disputed?.count ?? 0,
      amount: disputed?.amount ?? 0n,
      filter: { ...scope, status: 'COMPLETED', disputed: 'open' },
    },
  };
}

function linesOf(
  row: ExplainRow,
  all: readonly ExplainRow[],
  scope: Pick<LineFilter, 'eventId' | 'currency'>,
): Line[] {
  const { part, type, status, count, amount } = row;
  if (type === null || status === null) return [];
  const filter = { ...scope, status, type };
  if (part === 'cancelled') {
    const how = row.how ?? 'unpaid';
    const given = { ...filter, cancelledAs: how };
    return [{ kind: CANCELLED[how], type, count, amount, inTotal: false, filter: given }];
  }
  if (part === 'lost') return [lostLine(row, type, filter)];
  if (part !== 'sum') return [];
  const lost = all.find((one) => one.part === 'lost' && one.type === type && one.status === status);
  // The refunded amount without dispute losses.
  const refunds = {
    type,
    count: row.returns - (lost?.returns ?? 0),
    amount: row.returned - (lost?.amount ?? 0n),
    filter: { ...filter, refunded: true } as const,
  };
  if (status === 'COMPLETED')
    return [
      { kind: 'counted', type, count, amount, inTotal: true, filter },
      { ...refunds, kind: 'refunded', amount: -refunds.amount, inTotal: true },
    ];
  if (status === 'REFUNDED') return [{ ...refunds, kind: 'refunded_whole', inTotal: false }];
  if (status === 'PENDING' || status === 'FAILED')
    return [{ kind: OPEN[status](type), type, count, amount, inTotal: false, filter }];
  return [];
}

function lostLine({ status, count, amount }: ExplainRow, type: DonationType, filter: LineFilter): Line {
  // A loss is part of the total only if its donation is part of the total.
  const inTotal = status === 'COMPLETED';
  const shown = inTotal ? -amount : amount;
  const isCounted = inTotal || status === 'REFUNDED';
  return {
    kind: 'disputed',
    type,
    count: isCounted ? count : 0,
    amount: shown,
    inTotal,
    filter: { ...filter, disputed: 'lost' },
  };
}

const orderOf = ({ kind, inTotal }: Line): number =>
  (inTotal ? 0 : LINE_KINDS.length) + LINE_KINDS.indexOf(kind);

/** Returns the lines about the match pools of one currency, without side effects. Lines without donations are left out. */
export const matchLinesOf = (
  pools: readonly PoolFigures[],
  currency: string,
  eventId: string,
): readonly MatchLine[] =>
  pools
    .filter((pool) => pool.currency === currency)
    .flatMap(({ id, name, drawn, kept, settled }) => {
      const line = (
        kind: MatchLine['kind'],
        matchPart: MatchPart,
        { count, amount }: PoolSum,
      ): MatchLine => ({
        kind,
        poolId: id,
        pool: name,
        count,
        amount,
        filter: {
          eventId,
          currency,
          matchPoolId: id,
          matchPart,
          // Only a completed payment counts.
          ...(kind === 'settled' && { status: 'COMPLETED' }),
        },
      });
      return [
        line('matched', 'drawn', drawn),
        line('kept', 'kept', kept),
        line('settled', 'settled', settled),
      ];
    })
    .filter(({ count }) => count > 0);
