/**
 * The complete state table of a donation. Transitions that are not in the table are refused. A transition to the current state
 * changes nothing.
 */

export type DonationStatus = 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'REFUNDED';

export const DONATION_STATUSES = ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'] as const;

/** How a donation starts: a donor opened a payment, staff received money, or a donor made a pledge. */
export type Beginning = 'opened' | 'received' | 'pledged';

/** Cause of a transition. */
export type Cause =
  /** The provider reports a successful payment. */
  | 'paid'
  /** Staff marked a pledge as paid. */
  | 'fulfilled'
  /** The provider reports a decline. */
  | 'failed'
  /** Cancelled, or expired before payment. */
  | 'cancelled'
  /** The refunded sum changed: a refund, a lost dispute, or a refund that failed later. */
  | 'returned'
  /** Correction of the books: the donation no longer counts, but no money is refunded. */
  | 'corrected'
  /** A manual record was a mistake and was undone. */
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
  /** True if the transition is allowed only before the first booking of money for the donation. */
  readonly unlessPaid?: true;
}

export type StateTable = readonly (BeginningRow | MoveRow)[];

export const STATE_TABLE: StateTable = [
  { from: null, to: 'PENDING', by: ['opened', 'pledged'] },
  { from: null, to: 'COMPLETED', by: ['received'] },
  { from: 'PENDING', to: 'COMPLETED', by: ['paid', 'fulfilled'] },
  { from: 'PENDING', to: 'FAILED', by: ['failed'] },
  { from: 'PENDING', to: 'CANCELLED', by: ['cancelled', 'undone'] },
  // A payment can succeed after a decline, because the donor may try again with the same intent.
  { from: 'FAILED', to: 'COMPLETED', by: ['paid'] },
  { from: 'FAILED', to: 'CANCELLED', by: ['cancelled'] },
  // A late payment of a cancelled donation is always booked. If the donation was paid before and then corrected, it stays
  // CANCELLED.
  { from: 'CANCELLED', to: 'COMPLETED', by: ['paid'], unlessPaid: true },
  { from: 'COMPLETED', to: 'REFUNDED', by: ['returned'] },
  { from: 'COMPLETED', to: 'CANCELLED', by: ['corrected', 'undone'] },
  // The provider reports that the refund failed.
  { from: 'REFUNDED', to: 'COMPLETED', by: ['returned'] },
];

/** Next states of each state. */
export const NEXT = Object.fromEntries(
  DONATION_STATUSES.map((status) => [
    status,
    STATE_TABLE.filter(({ from }) => from === status).map(({ to }) => to),
  ]),
) as Record<DonationStatus, DonationStatus[]>;

/** Only donations in this state count in the totals. */
export const COUNTED: DonationStatus = 'COMPLETED';

/**
 * True if the table allows this transition.
 * @param paidBefore true if money was already booked for the donation
 */
export function canMove(
  from: DonationStatus,
  to: DonationStatus,
  paidBefore: boolean,
  table: StateTable = STATE_TABLE,
): boolean {
  return movesFrom(table, from, paidBefore).some((row) => row.to === to);
}

/** @throws Error if the table has no such initial state */
export function beginsAs(beginning: Beginning, table: StateTable = STATE_TABLE): DonationStatus {
  const row = table.find((one): one is BeginningRow => one.from === null && one.by.includes(beginning));
  if (!row) throw new Error(`The state table has no initial state for a donation that is ${beginning}`);
  return row.to;
}

const movesFrom = (table: StateTable, from: DonationStatus, paid: boolean): MoveRow[] =>
  table.filter((row): row is MoveRow => row.from === from && !(row.unlessPaid && paid));

/** The fields that decide the next state; amounts in minor units. */
export interface DonationState {
  readonly status: DonationStatus;
  /** True if money was booked for the donation at some time. */
  readonly paid: boolean;
  readonly amount: bigint;
  /** Sum of succeeded refunds and lost disputes, at most `amount`. */
  readonly refunded: bigint;
}

/** A fact about a donation. Amounts in minor units. */
export type LifecycleFact =
  | { readonly kind: 'paid'; readonly amount: bigint; readonly returned: bigint }
  /** Total refunded so far. */
  | { readonly kind: 'returned'; readonly returned: bigint }
  /** A payment captured in parts: total received so far. */
  | { readonly kind: 'grown'; readonly amount: bigint }
  | { readonly kind: Exclude<Cause, 'paid' | 'returned'> };

export interface Decision {
  /** The states after the current one, in order; empty if the status does not change. */
  readonly path: readonly DonationStatus[];
  readonly next: DonationState;
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);

/** Target state of a cause; undefined if the table has no such transition. */
export function moveBy(
  { status, paid }: Pick<DonationState, 'status' | 'paid'>,
  cause: Cause,
  table: StateTable = STATE_TABLE,
): DonationStatus | undefined {
  return movesFrom(table, status, paid).find(({ by }) => by.includes(cause))?.to;
}

/**
 * Returns the state after a fact, without side effects. The same facts give the same result in any order: a success overrides
 * failures and cancellations, and the success also applies earlier refunds.
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
      // A refund that arrives before the success does not change the state. The `paid` fact applies the refund later.
      if (!state.paid) return stay(state);
      const refunded = min(fact.returned, state.amount);
      const moves = state.status === 'REFUNDED' ? refunded < state.amount : refunded === state.amount;
      // A corrected donation stays CANCELLED after refunds.
      if (!moves || state.status === 'CANCELLED') return go(state, [], { refunded });
      return to ? go(state, [to], { refunded }) : stay(state);
    }
    default:
      return to ? go(state, [to], {}) : stay(state);
  }
}

/** Raises the amount of a payment captured in parts. The refunded amount does not change. */
function grow(state: DonationState, amount: bigint, table: StateTable): Decision {
  if (!state.paid || amount <= state.amount) return stay(state);
  return decide({ ...state, amount }, { kind: 'returned', returned: state.refunded }, table);
}

const stay = (state: DonationState): Decision => ({ path: [], next: state });

function go(state: DonationState, path: readonly DonationStatus[], change: Partial<DonationState>): Decision {
  return { path, next: { ...state, ...change, status: path.at(-1) ?? state.status } };
}
