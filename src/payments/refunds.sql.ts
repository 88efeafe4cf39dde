import { newId } from '../common/ids.js';
import type { SqlExecutor, Statement, Transaction } from '../data/database.js';
import type { Actor } from '../common/access/actor.js';
import type { DisputeFact, RefundFact } from './payment-provider.js';

/** Refunds and disputes: what goes back of a payment. */

export type RefundRowStatus = 'requested' | 'pending' | 'succeeded' | 'failed' | 'cancelled';

export interface RefundRow {
  readonly id: string;
  readonly donation_id: string | null;
  readonly provider: string;
  readonly payment_id: string;
  readonly provider_refund_id: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundRowStatus;
  readonly created_at: Date;
}

export interface DisputeRow {
  readonly id: string;
  readonly provider_dispute_id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: 'open' | 'won' | 'lost';
}

const INSERT_REFUND: Statement = {
  name: 'refund_insert',
  text: `INSERT INTO refund (id, donation_id, provider, payment_id, provider_refund_id, amount, currency, status, reason,
      actor_kind, actor_id, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), now())
    ON CONFLICT (provider, provider_refund_id) DO NOTHING RETURNING *`,
};

const LOCK_REFUND: Statement = {
  name: 'refund_lock',
  text: `SELECT * FROM refund WHERE provider = $1 AND (provider_refund_id = $2 OR (id = $3 AND provider_refund_id IS NULL))
    ORDER BY provider_refund_id NULLS LAST LIMIT 1 FOR UPDATE`,
};

const UPDATE_REFUND: Statement = {
  name: 'refund_update',
  text: `UPDATE refund SET provider_refund_id = $2, status = $3, amount = $4, currency = $5,
      donation_id = coalesce(donation_id, $6), updated_at = now() WHERE id = $1 RETURNING *`,
};

const MARK_REFUND: Statement = {
  name: 'refund_mark',
  text: `UPDATE refund SET status = $2, updated_at = now() WHERE id = $1 AND status = 'requested' RETURNING *`,
};

// News may come in any order: the further state wins, and a won dispute outweighs a lost one.
const MERGE_DISPUTE: Statement = {
  name: 'dispute_merge',
  text: `INSERT INTO dispute (id, donation_id, provider, payment_id, provider_dispute_id, amount, currency, status, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), now())
    ON CONFLICT (provider, provider_dispute_id) DO UPDATE SET
      donation_id = coalesce(dispute.donation_id, excluded.donation_id),
      amount = greatest(dispute.amount, excluded.amount),
      status = CASE WHEN 'won' IN (dispute.status, excluded.status) THEN 'won'::dispute_status
        WHEN 'lost' IN (dispute.status, excluded.status) THEN 'lost'::dispute_status ELSE 'open'::dispute_status END,
      updated_at = now()
    RETURNING *`,
};

const ADOPT_REFUNDS: Statement = {
  name: 'refund_adopt',
  text: 'UPDATE refund SET donation_id = $3 WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL RETURNING *',
};

const ADOPT_DISPUTES: Statement = {
  name: 'dispute_adopt',
  text: 'UPDATE dispute SET donation_id = $3 WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL RETURNING *',
};

// Money in another currency than the donation's cannot be added to it; the amount then stays out of the sum.
const RETURNED: Statement = {
  name: 'money_returned',
  text: `SELECT
      coalesce((SELECT sum(amount) FROM refund WHERE provider = $1 AND payment_id = $2 AND currency = $3 AND status = 'succeeded'), 0)::bigint
      + coalesce((SELECT sum(amount) FROM dispute WHERE provider = $1 AND payment_id = $2 AND currency = $3 AND status = 'lost'), 0)::bigint
      AS returned`,
};

// What a further refund may not take: given back, on its way back, or lost.
const COMMITTED: Statement = {
  name: 'money_committed',
  text: `SELECT
      coalesce((SELECT sum(amount) FROM refund WHERE provider = $1 AND payment_id = $2 AND status IN ('requested', 'pending', 'succeeded')), 0)::bigint
      + coalesce((SELECT sum(amount) FROM dispute WHERE provider = $1 AND payment_id = $2 AND status = 'lost'), 0)::bigint
      AS committed`,
};

const REQUESTED: Statement = {
  name: 'refund_requested',
  text: `SELECT * FROM refund WHERE donation_id = $1 AND status = 'requested' AND ($2::bigint IS NULL OR amount = $2)
    ORDER BY created_at LIMIT 1`,
};

const RANK: Record<RefundRowStatus, number> = {
  requested: 0,
  pending: 1,
  succeeded: 2,
  failed: 3,
  cancelled: 3,
};

export interface RefundRequestRow {
  readonly id: string;
  readonly donationId: string;
  readonly provider: string;
  readonly paymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly actor: Actor;
}

/** Writes down that we are about to ask for a refund; the provider's key is made from its id. */
export async function insertRefundRequest(tx: Transaction, refund: RefundRequestRow): Promise<RefundRow> {
  const [row] = await tx.query<RefundRow>(INSERT_REFUND, [
    refund.id,
    refund.donationId,
    refund.provider,
    refund.paymentId,
    null,
    refund.amount,
    refund.currency,
    'requested',
    refund.reason,
    refund.actor.kind,
    refund.actor.id,
  ]);
  if (!row) throw new Error('the refund was not inserted');
  return row;
}

/**
 * Merges what the provider says of a refund into our rows: a later state wins over an earlier one, whatever
 * came first. Call it under the lock of the donation where there is one.
 */
export async function mergeRefund(
  tx: Transaction,
  provider: string,
  fact: RefundFact,
  donationId: string | null,
): Promise<RefundRow> {
  const inserted = async () =>
    (
      await tx.query<RefundRow>(INSERT_REFUND, [
        newId(),
        donationId,
        provider,
        fact.paymentId,
        fact.providerRefundId,
        fact.amount,
        fact.currency,
        fact.status,
        null,
        'provider',
        null,
      ])
    )[0];
  const known = async () =>
    (await tx.query<RefundRow>(LOCK_REFUND, [provider, fact.providerRefundId, fact.refundId ?? null]))[0];
  const row = (await known()) ?? (await inserted()) ?? (await known());
  if (!row) throw new Error('the refund could be neither found nor inserted');
  // Until the provider has named it, a row is only what we believe: it may have been refused as "already
  // refunded" by what was this very refund.
  const believed = row.provider_refund_id === null;
  const status = believed || RANK[fact.status] > RANK[row.status] ? fact.status : row.status;
  const [merged] = await tx.query<RefundRow>(UPDATE_REFUND, [
    row.id,
    fact.providerRefundId,
    status,
    fact.amount,
    fact.currency,
    donationId,
  ]);
  return merged ?? row;
}

/** The provider refused a refund we asked for; false when it had gone further meanwhile. */
export async function markRefundFailed(db: SqlExecutor, id: string): Promise<boolean> {
  return (await db.query(MARK_REFUND, [id, 'failed'])).length > 0;
}

export async function mergeDispute(
  tx: Transaction,
  provider: string,
  fact: DisputeFact,
  donationId: string | null,
): Promise<DisputeRow> {
  const [row] = await tx.query<DisputeRow>(MERGE_DISPUTE, [
    newId(),
    donationId,
    provider,
    fact.paymentId,
    fact.disputeId,
    fact.amount,
    fact.currency,
    fact.status,
  ]);
  if (!row) throw new Error('the dispute was not merged');
  return row;
}

/** Gives a payment's refunds and disputes that came before it to its donation, and returns them. */
export async function adoptMoneyBack(
  tx: Transaction,
  provider: string,
  paymentId: string,
  donationId: string,
): Promise<{ refunds: RefundRow[]; disputes: DisputeRow[] }> {
  const refunds = await tx.query<RefundRow>(ADOPT_REFUNDS, [provider, paymentId, donationId]);
  const disputes = await tx.query<DisputeRow>(ADOPT_DISPUTES, [provider, paymentId, donationId]);
  return { refunds, disputes };
}

/** Succeeded refunds and lost disputes of a payment, minor units. */
export async function moneyReturned(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
  currency: string,
): Promise<bigint> {
  return (await db.query<{ returned: bigint }>(RETURNED, [provider, paymentId, currency]))[0]?.returned ?? 0n;
}

/** As `moneyReturned`, and what is on its way back. */
export async function moneyCommitted(db: SqlExecutor, provider: string, paymentId: string): Promise<bigint> {
  return (await db.query<{ committed: bigint }>(COMMITTED, [provider, paymentId]))[0]?.committed ?? 0n;
}

/** The oldest refund, of that amount where given, that we wrote down and have no answer for yet. */
export async function requestedRefund(
  db: SqlExecutor,
  donationId: string,
  amount: bigint | null,
): Promise<RefundRow | undefined> {
  return (await db.query<RefundRow>(REQUESTED, [donationId, amount]))[0];
}
