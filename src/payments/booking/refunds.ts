import type { Actor } from '../../common/access/principal.js';
import { newId } from '../../common/crypto/ids.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { isUniqueViolation, type SqlExecutor, type Transaction } from '../../data/database.js';
import { type IdempotencyKey, keyReused } from '../../donations/recording/idempotency.js';
import type { RefundFact } from '../providers/provider-port.js';
import {
  ADOPT_REFUNDS,
  BIND_KEY,
  COMMITTED,
  INSERT_REFUND,
  LOCK_REFUND,
  MARK_REFUND,
  REFUND_BY_ID,
  REFUND_OF_KEY,
  REQUESTED,
  RETURNED,
  UPDATE_REFUND,
  type AnyRefundRow,
  type OfflineRefundRow,
  type RefundRow,
  type RefundRowStatus,
} from './refunds.sql.js';

/** Refunds, and the sums returned to donors. */

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
  readonly captureId: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly actor: Actor;
  readonly key: IdempotencyKey | undefined;
}

/**
 * Stores a refund before it is sent to the provider. The idempotency key for the provider contains the id of this
 * row.
 */
export async function insertRefundRequest(tx: Transaction, refund: RefundRequestRow): Promise<RefundRow> {
  return await insertAsked<RefundRow>(tx, refund, 'requested');
}

/** Stores a refund that was made by hand. */
export async function insertOfflineRefund(
  tx: Transaction,
  refund: Omit<RefundRequestRow, 'provider' | 'paymentId' | 'captureId'>,
): Promise<OfflineRefundRow> {
  return await insertAsked(tx, { ...refund, provider: null, paymentId: null, captureId: null }, 'succeeded');
}

type AskedRefund = Omit<RefundRequestRow, 'provider' | 'paymentId'> & {
  readonly provider: string | null;
  readonly paymentId: string | null;
};

async function insertAsked<Row extends AnyRefundRow>(
  tx: Transaction,
  refund: AskedRefund,
  status: RefundRowStatus,
): Promise<Row> {
  const [row] = await tx.query<Row>(INSERT_REFUND, [
    refund.id,
    refund.donationId,
    refund.provider,
    refund.paymentId,
    null,
    refund.amount,
    refund.currency,
    status,
    refund.reason,
    refund.actor.kind,
    refund.actor.id,
    refund.captureId,
    refund.key?.key ?? null,
    refund.key?.digest ?? null,
  ]);
  if (!row) throw new Error('The refund was not inserted');
  return row;
}

/**
 * Returns the refund requested with this key, or undefined.
 * @throws ConflictError if the key was used for another request
 */
export async function refundOfKey(
  db: SqlExecutor,
  key: IdempotencyKey | undefined,
): Promise<AnyRefundRow | undefined> {
  if (!key) return undefined;
  const [row] = await db.query<AnyRefundRow & { request_digest: Buffer }>(REFUND_OF_KEY, [key.key]);
  if (row && !row.request_digest.equals(key.digest)) throw keyReused();
  return row;
}

/**
 * Sets the idempotency key of a refund that was requested without one.
 * @throws ConflictError if the refund already has a key
 */
export async function bindKey(tx: Transaction, refund: RefundRow, key: IdempotencyKey): Promise<void> {
  if ((await tx.query(BIND_KEY, [refund.id, key.key, key.digest])).length === 0) throw refundUnderWay();
}

export const refundUnderWay = () =>
  new ConflictError('REFUND_UNDER_WAY', 'A refund of the full remaining amount is already in progress');

/**
 * If two requests for different donations use the same key at once, the first succeeds. The second fails with the
 * error for a reused key.
 */
export async function ownKey<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'refund_idempotency_key_key')) throw keyReused();
    throw error;
  }
}

export async function refundById(db: SqlExecutor, id: string): Promise<AnyRefundRow | undefined> {
  return (await db.query<AnyRefundRow>(REFUND_BY_ID, [id]))[0];
}

/**
 * Merges a provider's refund into our rows. The result has the more advanced status, in any order of arrival. The
 * caller must hold the lock of the donation, if one exists.
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
        fact.captureId ?? null,
        null,
        null,
      ])
    )[0];
  const known = async () =>
    (await tx.query<RefundRow>(LOCK_REFUND, [provider, fact.providerRefundId, fact.refundId ?? null]))[0];
  const row = (await known()) ?? (await inserted()) ?? (await known());
  if (!row) throw new Error('The refund was neither found nor inserted');
  // Without the provider's refund id, the status of our row is only a guess. For example, the provider refused with
  // "already refunded" and the row is marked as failed, but this refund may be the one that succeeded.
  const believed = row.provider_refund_id === null;
  const status = believed || RANK[fact.status] > RANK[row.status] ? fact.status : row.status;
  const [merged] = await tx.query<RefundRow>(UPDATE_REFUND, [
    row.id,
    fact.providerRefundId,
    status,
    fact.amount,
    fact.currency,
    donationId,
    fact.captureId ?? null,
  ]);
  return merged ?? row;
}

/** Marks a refund as failed after the provider refused it. Returns false if its status changed meanwhile. */
export async function markRefundFailed(db: SqlExecutor, id: string): Promise<boolean> {
  return (await db.query(MARK_REFUND, [id, 'failed'])).length > 0;
}

/** Finds the refunds that arrived before their payment, assigns them to the payment's donation, and returns them. */
export const adoptRefunds = (
  tx: Transaction,
  provider: string,
  paymentId: string,
  donationId: string,
): Promise<RefundRow[]> => tx.query<RefundRow>(ADOPT_REFUNDS, [provider, paymentId, donationId]);

/** Sum of succeeded refunds and lost disputes of a payment, in minor units. */
export async function moneyReturned(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
  currency: string,
): Promise<bigint> {
  return (await db.query<{ returned: bigint }>(RETURNED, [provider, paymentId, currency]))[0]?.returned ?? 0n;
}

/** Like `moneyReturned`, plus refunds that are not finished yet. */
export async function moneyCommitted(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
  currency: string,
): Promise<bigint> {
  const [row] = await db.query<{ committed: bigint }>(COMMITTED, [provider, paymentId, currency]);
  return row?.committed ?? 0n;
}

/** Returns the oldest stored refund without a provider's answer. */
export async function requestedRefund(db: SqlExecutor, donationId: string): Promise<RefundRow | undefined> {
  return (await db.query<RefundRow>(REQUESTED, [donationId]))[0];
}
