/** The whole state table of a donation. Everything else is refused; a repeat of the present state is a no-op. */

export type DonationStatus = 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'REFUNDED';

export const DONATION_STATUSES = ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'] as const;

/** How a donation begins: a donor opened a payment, money was received by hand, money was promised. */
export type Beginning = 'opened' | 'received' | 'pledged';

/** What moves a donation on. */
export type Cause =
  /** The provider says paid. */
  | 'paid'
  /** A pledge was paid by hand. */
  | 'fulfilled'
  /** The provider says declined. */
  | 'failed'
  /** Cancelled or expired before it was paid. */
  | 'cancelled'
  /** The sum of what was given back changed: refunds, lost disputes, a refund that failed after all. */
  | 'returned'
  /** A book correction: it is taken out of the books, and no money goes back. */
  | 'corrected'
  /** A record made by hand was a mistake, and whoever made it said so at once. */
  | 'undone';

interface BeginningRow {
  readonly from: null;
  readonly to: DonationStatus;
  readonly by: readonly Beginning[];
}

interface MoveRow {
  readonly from: DonationStatus;
  readonly to: DonationStatus;
  readonly by: readonly Cause[];
  /** Only while no money was ever booked for the donation. */
  readonly unlessPaid?: true;
}

export type StateTable = readonly (BeginningRow | MoveRow)[];

export const STATE_TABLE: StateTable = [
  { from: null, to: 'PENDING', by: ['opened', 'pledged'] },
  { from: null, to: 'COMPLETED', by: ['received'] },
  { from: 'PENDING', to: 'COMPLETED', by: ['paid', 'fulfilled'] },
  { from: 'PENDING', to: 'FAILED', by: ['failed'] },
  { from: 'PENDING', to: 'CANCELLED', by: ['cancelled', 'undone'] },
  // A card can succeed after a decline: the donor tried the same intent again.
  { from: 'FAILED', to: 'COMPLETED', by: ['paid'] },
  { from: 'FAILED', to: 'CANCELLED', by: ['cancelled'] },
  // Money that arrives late is never dropped; but what was paid and then taken out of the books stays out.
  { from: 'CANCELLED', to: 'COMPLETED', by: ['paid'], unlessPaid: true },
  { from: 'COMPLETED', to: 'REFUNDED', by: ['returned'] },
  { from: 'COMPLETED', to: 'CANCELLED', by: ['corrected', 'undone'] },
  // The provider says that the refund failed.
  { from: 'REFUNDED', to: 'COMPLETED', by: ['returned'] },
];

/** The states that can follow each state. */
export const NEXT = Object.fromEntries(
  DONATION_STATUSES.map((status) => [
    status,
    STATE_TABLE.filter(({ from }) => from === status).map(({ to }) => to),
  ]),
) as Record<DonationStatus, DonationStatus[]>;

/** Donations in this state are in the totals. */
export const COUNTED: DonationStatus = 'COMPLETED';

/** Whether a donation may go from one state to another; `paidBefore`: money was already booked for it once. */
export function canMove(
  from: DonationStatus,
  to: DonationStatus,
  paidBefore: boolean,
  table: StateTable = STATE_TABLE,
): boolean {
  return movesFrom(table, from, paidBefore).some((row) => row.to === to);
}

/** @throws Error when the table knows no such beginning */
export function beginsAs(beginning: Beginning, table: StateTable = STATE_TABLE): DonationStatus {
  const row = table.find((one): one is BeginningRow => one.from === null && one.by.includes(beginning));
  if (!row) throw new Error(`The state table knows no donation that is ${beginning}`);
  return row.to;
}

const movesFrom = (table: StateTable, from: DonationStatus, paid: boolean): MoveRow[] =>
  table.filter((row): row is MoveRow => row.from === from && !(row.unlessPaid && paid));

/** The part of a donation that decides its next state; amounts in minor units. */
export interface DonationState {
  readonly status: DonationStatus;
  /** Money was booked for it, at whatever time. */
  readonly paid: boolean;
  readonly amount: bigint;
  /** Succeeded refunds and lost disputes, at most `amount`. */
  readonly refunded: bigint;
}

/** What happened to a donation. Amounts in minor units. */
export type LifecycleFact =
  | { readonly kind: 'paid'; readonly amount: bigint; readonly returned: bigint }
  /** The sum of what was given back, as known now. */
  | { readonly kind: 'returned'; readonly returned: bigint }
  /** A payment that is taken in parts: all that was received so far. */
  | { readonly kind: 'grown'; readonly amount: bigint }
  | { readonly kind: Exclude<Cause, 'paid' | 'returned'> };

export interface Decision {
  /** The states passed through, without the present one; empty when the status stays. */
  readonly path: readonly DonationStatus[];
  readonly next: DonationState;
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);

/** Where a cause leads from a state; undefined where the table has no such row. */
export function moveBy(
  { status, paid }: Pick<DonationState, 'status' | 'paid'>,
  cause: Cause,
  table: StateTable = STATE_TABLE,
): DonationStatus | undefined {
  return movesFrom(table, status, paid).find(({ by }) => by.includes(cause))?.to;
}

/**
 * Where a fact leads. Pure, and the same end for the same set of facts in any order: a success outweighs
 * failures and cancellations, money back is a sum that is applied once the success is known.
 */
export function decide(state: DonationState, fact: LifecycleFact, table: StateTable = STATE_TABLE): Decision {
  if (fact.kind === 'grown') return grow(state, fact.amount, table);
  const to = moveBy(state, fact.kind, table);
  switch (fact.kind) {
    case 'paid': {
      if (!to) return stay(state);
      const paid = go(state, [to], { paid: true, amount: fact.amount, refunded: 0n });
      const { path, next } = decide(paid.next, { kind: 'returned', returned: fact.returned }, table);
      return { path: [to, ...path], next };
    }
    case 'returned': {
      // Before the success it belongs to, money back is only kept; `paid` brings it in.
      if (!state.paid) return stay(state);
      const refunded = min(fact.returned, state.amount);
      const moves = state.status === 'REFUNDED' ? refunded < state.amount : refunded === state.amount;
      // What was taken out of the books stays out, whatever goes back of it.
      if (!moves || state.status === 'CANCELLED') return go(state, [], { refunded });
      return to ? go(state, [to], { refunded }) : stay(state);
    }
    default:
      return to ? go(state, [to], {}) : stay(state);
  }
}

/** More money of the same payment; what was given back of it stays what it was. */
function grow(state: DonationState, amount: bigint, table: StateTable): Decision {
  if (!state.paid || amount <= state.amount) return stay(state);
  return decide({ ...state, amount }, { kind: 'returned', returned: state.refunded }, table);
}

const stay = (state: DonationState): Decision => ({ path: [], next: state });

function go(state: DonationState, path: readonly DonationStatus[], change: Partial<DonationState>): Decision {
  return { path, next: { ...state, ...change, status: path.at(-1) ?? state.status } };
}
