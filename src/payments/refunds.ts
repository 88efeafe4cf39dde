import type { Actor } from '../common/access/actor.js';
import { newId } from '../common/ids.js';
import type { SqlExecutor, Transaction } from '../data/database.js';
import type { RefundFact } from './payment-provider.js';
import {
  ADOPT_REFUNDS,
  COMMITTED,
  INSERT_REFUND,
  LOCK_REFUND,
  MARK_REFUND,
  REQUESTED,
  RETURNED,
  UPDATE_REFUND,
  type RefundRow,
  type RefundRowStatus,
} from './refunds.sql.js';

/** Refunds, and the sums that go back of a payment. */

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

/** Gives the refunds that came before their payment to its donation, and returns them. */
export const adoptRefunds = (
  tx: Transaction,
  provider: string,
  paymentId: string,
  donationId: string,
): Promise<RefundRow[]> => tx.query<RefundRow>(ADOPT_REFUNDS, [provider, paymentId, donationId]);

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
