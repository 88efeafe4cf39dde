import type Stripe from 'stripe';
import type { Payout, PayoutItem } from '../payment-provider.js';
import { permitted } from './stripe-lists.js';
import { itemsOf, payoutOf } from './stripe-payout-facts.js';

/** Stripe's payouts, and the balance transactions in each. */

const WHAT = 'payouts and balance transactions';

/** Undefined when the key may not read them. */
export async function payoutsOf(stripe: Stripe, since: Date): Promise<Payout[] | undefined> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  return await permitted(
    collected(stripe.payouts.list({ created, limit: 100 }), (payout) => [payoutOf(payout)]),
    WHAT,
  );
}

export async function payoutItemsOf(stripe: Stripe, payout: string): Promise<PayoutItem[] | undefined> {
  const list = stripe.balanceTransactions.list({ payout, limit: 100, expand: ['data.source'] });
  return await permitted(collected(list, itemsOf), WHAT);
}

async function collected<From, To>(list: AsyncIterable<From>, read: (one: From) => To[]): Promise<To[]> {
  const all: To[] = [];
  for await (const one of list) all.push(...read(one));
  return all;
}
