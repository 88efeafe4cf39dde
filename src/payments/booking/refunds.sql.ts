import type { Statement } from '../../data/database.js';

/** SQL statements for refunds and for the sums returned to donors. */

export type RefundRowStatus = 'requested' | 'pending' | 'succeeded' | 'failed' | 'cancelled';

/** A refund through a provider. */
export interface RefundRow {
  readonly id: string;
  readonly donation_id: string | null;
  readonly provider: string;
  readonly payment_id: string;
  /** The capture that is refunded; null means the donation's capture. */
  readonly capture_id: string | null;
  readonly provider_refund_id: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundRowStatus;
  readonly created_at: Date;
}

/** A refund that staff made without a provider. Its status never changes. */
export type OfflineRefundRow = Omit<RefundRow, 'provider' | 'payment_id'> & {
  readonly provider: null;
  readonly payment_id: null;
};

export type AnyRefundRow = RefundRow | OfflineRefundRow;

// The type check ensures that the statements select exactly the columns of the row type.
const list = <Row>(columns: Record<keyof Row, true>): string => Object.keys(columns).join(', ');

export const REFUND = list<RefundRow>({
  id: true,
  donation_id: true,
  provider: true,
  payment_id: true,
  capture_id: true,
  provider_refund_id: true,
  amount: true,
  currency: true,
  status: true,
  created_at: true,
});

export const INSERT_REFUND: Statement = {
  name: 'refund_insert',
  text: `INSERT INTO refund (id, donation_id, provider, payment_id, provider_refund_id, amount, currency, status, reason,
      actor_kind, actor_id, capture_id, idempotency_key, request_digest, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, now(), now())
    ON CONFLICT (provider, provider_refund_id) DO NOTHING RETURNING ${REFUND}`,
};

export const REFUND_BY_ID: Statement = {
  name: 'refund_by_id',
  text: `SELECT ${REFUND} FROM refund WHERE id = $1`,
};

export const REFUND_OF_KEY: Statement = {
  name: 'refund_of_key',
  text: `SELECT ${REFUND}, request_digest FROM refund WHERE idempotency_key = $1`,
};

export const BIND_KEY: Statement = {
  name: 'refund_bind_key',
  text: `UPDATE refund SET idempotency_key = $2, request_digest = $3, updated_at = now()
    WHERE id = $1 AND idempotency_key IS NULL RETURNING id`,
};

export const LOCK_REFUND: Statement = {
  name: 'refund_lock',
  text: `SELECT ${REFUND} FROM refund WHERE provider = $1 AND (provider_refund_id = $2 OR (id = $3 AND provider_refund_id IS NULL))
    ORDER BY provider_refund_id NULLS LAST LIMIT 1 FOR UPDATE`,
};

export const UPDATE_REFUND: Statement = {
  name: 'refund_update',
  text: `UPDATE refund SET provider_refund_id = $2, status = $3, amount = $4, currency = $5,
      donation_id = coalesce(donation_id, $6), capture_id = coalesce(capture_id, $7), updated_at = now() WHERE id = $1 RETURNING ${REFUND}`,
};

export const MARK_REFUND: Statement = {
  name: 'refund_mark',
  text: `UPDATE refund SET status = $2, updated_at = now() WHERE id = $1 AND status = 'requested' RETURNING id`,
};

export const ADOPT_REFUNDS: Statement = {
  name: 'refund_adopt',
  text: `UPDATE refund SET donation_id = $3 WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL
    RETURNING ${REFUND}`,
};

// If a lost dispute also appears as a refund at the provider, only the refund is added. Only amounts in the
// donation's currency are added.
export const RETURNED: Statement = {
  name: 'money_returned',
  text: `SELECT
      coalesce((SELECT sum(amount) FROM refund WHERE provider = $1 AND payment_id = $2 AND currency = $3 AND status = 'succeeded'), 0)::bigint
      + coalesce((SELECT sum(amount) FROM dispute WHERE provider = $1 AND payment_id = $2 AND currency = $3 AND status = 'lost' AND NOT money_is_refund), 0)::bigint
      AS returned`,
};

// Money that is not available for a further refund: refunded, refund pending, or lost in a dispute. In the donation's
// currency, as above.
export const COMMITTED: Statement = {
  name: 'money_committed',
  text: `SELECT
      coalesce((SELECT sum(amount) FROM refund WHERE provider = $1 AND payment_id = $2 AND currency = $3 AND status IN ('requested', 'pending', 'succeeded')), 0)::bigint
      + coalesce((SELECT sum(amount) FROM dispute WHERE provider = $1 AND payment_id = $2 AND currency = $3 AND status = 'lost' AND NOT money_is_refund), 0)::bigint
      AS committed`,
};

export const REQUESTED: Statement = {
  name: 'refund_requested',
  text: `SELECT ${REFUND} FROM refund WHERE donation_id = $1 AND status = 'requested'
    ORDER BY created_at LIMIT 1`,
};
