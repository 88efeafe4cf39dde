import type { Sandbox } from '../../sandbox/server/sandbox.js';
import type { OnlineDonation } from './world.js';

/** Actions of banks and providers on a dispute. An action throws if the state of the dispute forbids it. */

interface Turn {
  readonly which: number;
  readonly amount: number;
  readonly flag: boolean;
}

const STAGES = ['INQUIRY', 'CHARGEBACK'] as const;

/**
 * Opens an inquiry or a chargeback, for a part or for the whole amount. PayPal may also reverse the payment without a dispute.
 */
export function openDispute({ stripe, paypal }: Sandbox, { method, paymentId }: OnlineDonation, turn: Turn) {
  const part = turn.flag ? { amount: Math.ceil(turn.amount / 2) } : {};
  if (method === 'card') stripe.openDispute(paymentId, { ...part, inquiry: turn.which % 3 === 0 });
  else if (turn.which % 3 === 2) paypal.reverse(paymentId, part);
  else paypal.openDispute(paymentId, { ...part, stage: STAGES[turn.which % 2] ?? 'INQUIRY' });
}

/** Escalates, answers or updates the dispute. */
export function moveDisputeOn(
  { stripe, paypal }: Sandbox,
  { method, paymentId }: OnlineDonation,
  { which, amount }: Turn,
) {
  const move = amount % 3;
  const dueInDays = 5 + which;
  if (method === 'card') {
    if (move === 0) stripe.escalateDispute(paymentId, { dueInDays });
    else if (move === 1) stripe.submitEvidence(paymentId);
    else stripe.updateDispute(paymentId, { reason: 'duplicate', dueInDays });
    return;
  }
  if (move === 0) paypal.escalateDispute(paymentId, { dueInDays });
  else if (move === 1) paypal.changeDispute(paymentId, { status: 'UNDER_REVIEW' });
  else paypal.changeDispute(paymentId, { status: 'WAITING_FOR_SELLER_RESPONSE', dueInDays });
}

export function winDispute(
  { stripe, paypal }: Sandbox,
  { method, paymentId }: OnlineDonation,
  { flag }: Turn,
) {
  if (method === 'card') stripe.winDispute(paymentId);
  else paypal.resolveDispute(paymentId, { outcome: flag ? 'RESOLVED_SELLER_FAVOUR' : 'CANCELED_BY_BUYER' });
}

export function loseDispute(
  { stripe, paypal }: Sandbox,
  { method, paymentId }: OnlineDonation,
  { flag }: Turn,
) {
  if (method === 'card') stripe.loseDispute(paymentId);
  else paypal.resolveDispute(paymentId, { outcome: flag ? 'RESOLVED_BUYER_FAVOUR' : 'ACCEPTED' });
}
