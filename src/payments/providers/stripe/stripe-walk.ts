import type Stripe from 'stripe';
import type { WalkedFacts } from '../provider-port.js';
import { RIGHTS, type StripeAccess, dated } from './stripe-access.js';
import { disputeFact, intentFacts, refundFact } from './stripe-facts.js';
const DAY_SECONDS = 24 * 60 * 60;

/** Maximum time after which a payment or refund may still change (debits, vouchers, failed refunds). */
const CHANGES_FOR = 14 * DAY_SECONDS;
/** Maximum time between the opening and the decision of a dispute. */
const DISPUTED_FOR = 180 * DAY_SECONDS;

/** Lists all payments, refunds and disputes that may have changed since a time, page by page. */
export async function* walkStripe(
  stripe: Stripe,
  access: StripeAccess,
  since: Date,
): AsyncIterable<WalkedFacts> {
  const from = Math.floor(since.getTime() / 1000);
  const changed = { created: { gte: Math.max(0, from - CHANGES_FOR) }, limit: 100 };
  const disputed = { created: { gte: Math.max(0, from - DISPUTED_FOR) }, limit: 100 };
  const intents = stripe.paymentIntents.list({ ...changed, expand: ['data.latest_charge'] });
  for await (const intent of access.each(RIGHTS.readPayments, intents))
    yield { facts: intentFacts(intent, paidAt(intent)) };
  for await (const refund of access.each(RIGHTS.readRefunds, stripe.refunds.list(changed)))
    yield { facts: refundFact(refund) };
  const disputes = dated((last) =>
    stripe.disputes.list({ ...disputed, ...(last !== undefined && { starting_after: last }) }),
  );
  for await (const { one, asOf } of access.each(RIGHTS.readDisputes, disputes))
    yield { facts: disputeFact(one, asOf) };
}

/** Returns the time of the charge, or the time of the payment if the charge is not included. */
export function paidAt(intent: Stripe.PaymentIntent): Date {
  const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge;
  return new Date((charge?.created ?? intent.created) * 1000);
}
