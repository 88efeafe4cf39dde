/** The whole state table of a donation. Everything else is refused; a repeat of the present state is a no-op. */

export type DonationStatus = 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'REFUNDED';

export const DONATION_STATUSES = ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'] as const;

export const NEXT = {
  // paid or pledge fulfilled; declined; cancelled or expired
  PENDING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  // A card can succeed after a decline: the donor tried the same intent again.
  FAILED: ['COMPLETED', 'CANCELLED'],
  // Money that arrives late is never dropped, but only the first time: see `canMove`.
  CANCELLED: ['COMPLETED'],
  // all of it given back or lost in a dispute; a book correction
  COMPLETED: ['REFUNDED', 'CANCELLED'],
  // the provider says that the refund failed
  REFUNDED: ['COMPLETED'],
} as const satisfies Record<DonationStatus, readonly DonationStatus[]>;

/** Whether a donation may go from one state to another; `paidBefore`: money was already booked for it once. */
export function canMove(from: DonationStatus, to: DonationStatus, paidBefore: boolean): boolean {
  if (from === 'CANCELLED' && paidBefore) return false;
  return (NEXT[from] as readonly DonationStatus[]).includes(to);
}

/** The part of a donation that decides its next state; amounts in minor units. */
export interface DonationState {
  readonly status: DonationStatus;
  /** The provider has said paid, at whatever time. */
  readonly paid: boolean;
  readonly amount: bigint;
  /** Succeeded refunds and lost disputes, at most `amount`. */
  readonly refunded: bigint;
}

/** What the provider told. Amounts in minor units. */
export type LifecycleFact =
  | { readonly kind: 'paid'; readonly amount: bigint; readonly returned: bigint }
  | { readonly kind: 'failed' }
  | { readonly kind: 'cancelled' }
  /** The sum of succeeded refunds and lost disputes as known now. */
  | { readonly kind: 'returned'; readonly returned: bigint };

export interface Decision {
  /** The states passed through, without the present one; empty when the status stays. */
  readonly path: readonly DonationStatus[];
  readonly next: DonationState;
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Where a fact leads. Pure, and the same end for the same set of facts in any order: a success outweighs
 * failures and cancellations, money back is a sum that is applied once the success is known.
 */
export function decide(state: DonationState, fact: LifecycleFact): Decision {
  switch (fact.kind) {
    case 'failed':
      return state.status === 'PENDING' ? go(state, ['FAILED'], {}) : stay(state);
    case 'cancelled':
      return state.status === 'PENDING' || state.status === 'FAILED'
        ? go(state, ['CANCELLED'], {})
        : stay(state);
    case 'paid': {
      if (state.paid || !canMove(state.status, 'COMPLETED', state.paid)) return stay(state);
      const refunded = min(fact.returned, fact.amount);
      const path: DonationStatus[] = refunded === fact.amount ? ['COMPLETED', 'REFUNDED'] : ['COMPLETED'];
      return go(state, path, { paid: true, amount: fact.amount, refunded });
    }
    case 'returned': {
      // Before the success it belongs to, a refund or dispute is only kept; `paid` brings it in.
      if (!state.paid) return stay(state);
      const refunded = min(fact.returned, state.amount);
      if (state.status === 'COMPLETED' && refunded === state.amount)
        return go(state, ['REFUNDED'], { refunded });
      if (state.status === 'REFUNDED' && refunded < state.amount)
        return go(state, ['COMPLETED'], { refunded });
      return go(state, [], { refunded });
    }
  }
}

const stay = (state: DonationState): Decision => ({ path: [], next: state });

function go(state: DonationState, path: readonly DonationStatus[], change: Partial<DonationState>): Decision {
  return { path, next: { ...state, ...change, status: path.at(-1) ?? state.status } };
}
