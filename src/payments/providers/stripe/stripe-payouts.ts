import type Stripe from 'stripe';
import type { Payout, PayoutItem, ProviderBalance } from '../provider-port.js';
import { RIGHTS, type StripeAccess } from './stripe-access.js';
import { balancesOf, itemsOf, payoutOf } from './stripe-payout-facts.js';

/** Stripe's payouts, and the balance transactions in each. */

/** Returns undefined if the key has no permission to read payouts. */
export async function payoutsOf(
  stripe: Stripe,
  access: StripeAccess,
  since: Date,
): Promise<Payout[] | undefined> {
  const list = stripe.payouts.list({ created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 });
  return await access.permitted(
    RIGHTS.readPayouts,
    collected(list, (payout) => [payoutOf(payout)]),
  );
}

export async function payoutItemsOf(
  stripe: Stripe,
  access: StripeAccess,
  payout: string,
): Promise<PayoutItem[] | undefined> {
  const list = stripe.balanceTransactions.list({ payout, limit: 100, expand: ['data.source'] });
  return await access.permitted(RIGHTS.readBalance, collected(list, itemsOf));
}

/** Returns the balance of the account; undefined if the key has no permission to read the balance. */
export async function balanceOf(
  stripe: Stripe,
  access: StripeAccess,
): Promise<ProviderBalance[] | undefined> {
  const balance = await access.permitted(RIGHTS.readAccountBalance, stripe.balance.retrieve());
  return balance && balancesOf(balance);
}

async function collected<From, To>(list: AsyncIterable<From>, read: (one: From) => To[]): Promise<To[]> {
  const all: To[] = [];
  for await (const one of list) all.push(...read(one));
  return all;
}
