import type { Statement } from '../../data/database.js';

/** SQL statements for disputes. */

export type DisputeStatus = 'open' | 'won' | 'lost';

/** The columns of a dispute that can change. */
export interface DisputeState {
  readonly amount: bigint;
  readonly currency: string;
  readonly status: DisputeStatus;
  /** The provider's own status, such as `warning_needs_response`. */
  readonly provider_status: string | null;
  /** Time of the provider's update that set `status`. Null unless a later update had an unknown status. */
  readonly status_as_of: Date | null;
  readonly reason: string | null;
  /** True if the bank only asks a question. No money has moved. */
  readonly is_inquiry: boolean;
  /** True if the dispute was decided and is under review again. */
  readonly is_appeal: boolean;
  /** True if this service does not know the provider's status. */
  readonly is_unknown: boolean;
  readonly needs_answer: boolean;
  readonly due_by: Date | null;
  readonly fee: bigint | null;
  readonly fee_currency: string | null;
  readonly money_is_refund: boolean;
  readonly as_of: Date | null;
}

export interface DisputeRow extends DisputeState {
  readonly id: string;
  readonly provider_dispute_id: string;
}

// The type check ensures that the statements select exactly the columns of the row type.
const STATE = Object.keys({
  amount: true,
  currency: true,
  status: true,
  provider_status: true,
  status_as_of: true,
  reason: true,
  is_inquiry: true,
  is_appeal: true,
  is_unknown: true,
  needs_answer: true,
  due_by: true,
  fee: true,
  fee_currency: true,
  money_is_refund: true,
  as_of: true,
} satisfies Record<keyof DisputeState, true>) as (keyof DisputeState)[];

const DISPUTE = ['id', 'provider_dispute_id', ...STATE].join(', ');

export const stateValues = (state: DisputeState): unknown[] => STATE.map((column) => state[column]);

export const LOCK_DISPUTE: Statement = {
  name: 'dispute_lock',
  text: `SELECT ${DISPUTE} FROM dispute WHERE provider = $1 AND provider_dispute_id = $2 FOR UPDATE`,
};

/** Returns no row if another transaction inserted the dispute first. */
export const INSERT_DISPUTE: Statement = {
  name: 'dispute_insert',
  text: `INSERT INTO dispute (id, donation_id, provider, payment_id, provider_dispute_id, created_at, updated_at, ${STATE.join(', ')})
    VALUES ($1, $2, $3, $4, $5, now(), now(), ${STATE.map((_, index) => `$${index + 6}`).join(', ')})
    ON CONFLICT (provider, provider_dispute_id) DO NOTHING RETURNING ${DISPUTE}`,
};

export const UPDATE_DISPUTE: Statement = {
  name: 'dispute_update',
  text: `UPDATE dispute SET donation_id = coalesce(donation_id, $2), updated_at = now(),
      ${STATE.map((column, index) => `${column} = $${index + 3}`).join(', ')}
    WHERE id = $1 RETURNING ${DISPUTE}`,
};

export const ADOPT_DISPUTES: Statement = {
  name: 'dispute_adopt',
  text: `UPDATE dispute SET donation_id = $3 WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL
    RETURNING ${DISPUTE}`,
};

export const DISPUTES_OF_PAYMENT: Statement = {
  name: 'disputes_of_payment',
  text: 'SELECT count(*)::int AS count FROM dispute WHERE provider = $1 AND payment_id = $2',
};
