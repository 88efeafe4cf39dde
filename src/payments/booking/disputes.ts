import { newId } from '../../common/crypto/ids.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
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
import type { DisputeFact } from '../providers/provider-port.js';

/** Disputes: the donor's bank, or the provider for the donor, reclaims the money. */

/** A dispute after a merge. `isNews` is true if the update changed the dispute. */
export interface MergedDispute {
  readonly dispute: DisputeRow;
  readonly isNews: boolean;
}

/** Merges an update of a dispute from the provider. The caller must hold the lock of the donation or of the payment. */
export async function mergeDispute(
  tx: Transaction,
  provider: string,
  fact: DisputeFact,
  donationId: string | null,
): Promise<MergedDispute> {
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
  const earlier = await known();
  const before = earlier ?? (await inserted()) ?? (await known());
  if (!before) throw new Error('The dispute was neither found nor inserted');
  const after = mergedDispute(before, stateOf(fact));
  const [row] = await tx.query<DisputeRow>(UPDATE_DISPUTE, [before.id, donationId, ...stateValues(after)]);
  return { dispute: row ?? before, isNews: !earlier || !sameState(earlier, after) };
}

const sameState = (one: DisputeState, other: DisputeState): boolean =>
  one.status === other.status &&
  one.provider_status === other.provider_status &&
  one.amount === other.amount &&
  one.needs_answer === other.needs_answer &&
  one.due_by?.getTime() === other.due_by?.getTime();

/** Assigns the disputes that arrived before their payment to the donation of the payment. Returns these disputes. */
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
 * Merges two updates of one dispute. The function is pure, and the order of the updates does not matter. The result
 * uses the later update by the provider's clock, because a decided dispute may be reopened or appealed. If both times
 * are equal, the result uses the more advanced update. If an update has an unknown status, the result keeps the
 * latest known status.
 */
export function mergedDispute(one: DisputeState, other: DisputeState): DisputeState {
  const later = isLater(other, one) ? other : one;
  const earlier = later === other ? one : other;
  const decided = isDecidedLater(other, one) ? other : one;
  return {
    ...later,
    amount: one.amount > other.amount ? one.amount : other.amount,
    status: decided.status,
    status_as_of: decided.status_as_of ?? decided.as_of,
    reason: later.reason ?? earlier.reason,
    fee: later.fee ?? earlier.fee,
    fee_currency: later.fee === null ? earlier.fee_currency : later.fee_currency,
    money_is_refund: one.money_is_refund || other.money_is_refund,
  };
}

const OUTCOME: Readonly<Record<DisputeStatus, number>> = { open: 0, lost: 1, won: 2 };

/** Value of `status_as_of` for an unknown status. This time is before all real times. */
const NEVER = new Date(0);

function isLater(one: DisputeState, other: DisputeState): boolean {
  const [a, b] = [one.as_of?.getTime() ?? 0, other.as_of?.getTime() ?? 0];
  return a === b ? stageOf(one) >= stageOf(other) : a > b;
}

function isDecidedLater(one: DisputeState, other: DisputeState): boolean {
  const [a, b] = [decidedAt(one), decidedAt(other)];
  return a === b ? OUTCOME[one.status] >= OUTCOME[other.status] : a > b;
}

const decidedAt = ({ status_as_of: decided, as_of: said }: DisputeState): number =>
  (decided ?? said)?.getTime() ?? 0;

/** Order of stages: inquiry, dispute, appeal, then the outcome. In each stage, "needs an answer" is before "answered". */
const stageOf = ({
  status,
  is_inquiry: inquiry,
  is_appeal: appeal,
  needs_answer: asks,
}: DisputeState): number => OUTCOME[status] * 10 + (appeal ? 4 : inquiry ? 0 : 2) + (asks ? 0 : 1);

const stateOf = (fact: DisputeFact): DisputeState => ({
  amount: fact.amount,
  currency: fact.currency,
  status: fact.status,
  provider_status: fact.providerStatus ?? null,
  reason: fact.reason ?? null,
  status_as_of: fact.isUnknown ? NEVER : (fact.asOf ?? null),
  is_inquiry: fact.isInquiry ?? false,
  is_appeal: fact.isAppeal ?? false,
  is_unknown: fact.isUnknown ?? false,
  needs_answer: (fact.status === 'open' || fact.isAppeal === true) && (fact.needsAnswer ?? true),
  due_by: fact.dueBy ?? null,
  fee: fact.fee?.amount ?? null,
  fee_currency: fact.fee?.currency ?? null,
  money_is_refund: fact.moneyIsRefund ?? false,
  as_of: fact.asOf ?? null,
});
