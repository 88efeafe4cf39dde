import { newId } from '../common/ids.js';
import type { SqlExecutor, Transaction } from '../data/database.js';
import {
  ADOPT_DISPUTES,
  DISPUTES_OF_PAYMENT,
  type DisputeRow,
  type DisputeState,
  type DisputeStatus,
  INSERT_DISPUTE,
  LOCK_DISPUTE,
  stateValues,
  UPDATE_DISPUTE,
} from './disputes.sql.js';
import type { DisputeFact } from './payment-provider.js';

/** Disputes: the donor's bank, or the provider for the donor, wants the money back. */

/** Merges what the provider says of a dispute. Call it under the lock of the donation or of the payment. */
export async function mergeDispute(
  tx: Transaction,
  provider: string,
  fact: DisputeFact,
  donationId: string | null,
): Promise<DisputeRow> {
  const known = async () => (await tx.query<DisputeRow>(LOCK_DISPUTE, [provider, fact.disputeId]))[0];
  const inserted = async () =>
    (
      await tx.query<DisputeRow>(INSERT_DISPUTE, [
        newId(),
        donationId,
        provider,
        fact.paymentId,
        fact.disputeId,
        ...stateValues(stateOf(fact)),
      ])
    )[0];
  const before = (await known()) ?? (await inserted()) ?? (await known());
  if (!before) throw new Error('the dispute could be neither found nor inserted');
  const after = mergedDispute(before, stateOf(fact));
  const [row] = await tx.query<DisputeRow>(UPDATE_DISPUTE, [before.id, donationId, ...stateValues(after)]);
  return row ?? before;
}

/** Gives the disputes that came before their payment to its donation, and returns them. */
export const adoptDisputes = (
  tx: Transaction,
  provider: string,
  paymentId: string,
  donationId: string,
): Promise<DisputeRow[]> => tx.query<DisputeRow>(ADOPT_DISPUTES, [provider, paymentId, donationId]);

export async function isDisputed(db: SqlExecutor, provider: string, paymentId: string): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(DISPUTES_OF_PAYMENT, [provider, paymentId]);
  return (row?.count ?? 0) > 0;
}

/**
 * Two statements about one dispute as one; pure, and the same whichever came first. The outcome only goes
 * forward, and a won dispute outweighs a lost one; the provider's own words are those of the later statement, of
 * two of one moment the one that is further on.
 */
export function mergedDispute(one: DisputeState, other: DisputeState): DisputeState {
  const later = isLater(other, one) ? other : one;
  const earlier = later === other ? one : other;
  const status = further(one.status, other.status);
  return {
    ...later,
    amount: one.amount > other.amount ? one.amount : other.amount,
    status,
    reason: later.reason ?? earlier.reason,
    needs_answer: status === 'open' && later.needs_answer,
    fee: later.fee ?? earlier.fee,
    fee_currency: later.fee === null ? earlier.fee_currency : later.fee_currency,
    money_is_refund: one.money_is_refund || other.money_is_refund,
  };
}

const OUTCOME: Readonly<Record<DisputeStatus, number>> = { open: 0, lost: 1, won: 2 };

const further = (one: DisputeStatus, other: DisputeStatus): DisputeStatus =>
  OUTCOME[one] >= OUTCOME[other] ? one : other;

function isLater(one: DisputeState, other: DisputeState): boolean {
  const [a, b] = [one.as_of?.getTime() ?? 0, other.as_of?.getTime() ?? 0];
  return a === b ? stageOf(one) >= stageOf(other) : a > b;
}

/** An inquiry comes before the dispute proper, the question before the answer, and the end last. */
const stageOf = ({ status, is_inquiry: inquiry, needs_answer: asks }: DisputeState): number =>
  OUTCOME[status] * 10 + (inquiry ? 0 : 2) + (asks ? 0 : 1);

const stateOf = (fact: DisputeFact): DisputeState => ({
  amount: fact.amount,
  currency: fact.currency,
  status: fact.status,
  provider_status: fact.providerStatus ?? null,
  reason: fact.reason ?? null,
  is_inquiry: fact.isInquiry ?? false,
  needs_answer: fact.status === 'open' && (fact.needsAnswer ?? true),
  due_by: fact.dueBy ?? null,
  fee: fact.fee?.amount ?? null,
  fee_currency: fact.fee?.currency ?? null,
  money_is_refund: fact.moneyIsRefund ?? false,
  as_of: fact.asOf ?? null,
});
