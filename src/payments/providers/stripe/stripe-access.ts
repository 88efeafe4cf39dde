import Stripe from 'stripe';
import { KeyRights } from '../key-rights.js';
import { MissingRightError } from '../provider-errors.js';
import { translated } from './stripe-errors.js';

/** The rights of a restricted key that are used, by their names in Stripe's dashboard. */
export const RIGHTS = {
  takePayments: 'PaymentIntents: write',
  readPayments: 'PaymentIntents: read',
  refund: 'Charges and Refunds: write',
  readRefunds: 'Charges and Refunds: read',
  readDisputes: 'Disputes: read',
  readEvents: 'Events: read',
  readBalance: 'Balance transactions: read',
  readPayouts: 'Payouts: read',
  readEndpoints: 'Webhook Endpoints: read',
} as const;

export type StripeRight = (typeof RIGHTS)[keyof typeof RIGHTS];

/** Calls to Stripe, each with the right that it needs: what the key may do is noted, and failures are those of the port. */
export class StripeAccess {
  readonly rights = new KeyRights();

  /** The answer to a call. */
  async asked<Answer>(right: StripeRight, call: Promise<Answer>): Promise<Answer> {
    try {
      const answer = await call;
      this.rights.given(right);
      return answer;
    } catch (error) {
      throw this.failed(right, error);
    }
  }

  /** Each of a list, page by page. */
  async *each<One>(right: StripeRight, list: AsyncIterable<One>): AsyncGenerator<One, void, undefined> {
    try {
      for await (const one of list) yield one;
      this.rights.given(right);
    } catch (error) {
      throw this.failed(right, error);
    }
  }

  /** The answer to a call; undefined where the key may not ask. */
  async permitted<Answer>(right: StripeRight, call: Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await this.asked(right, call);
    } catch (error) {
      if (error instanceof MissingRightError) return undefined;
      throw error;
    }
  }

  /**
   * All of a list. A key that may not read it gives nothing: the rest of what Stripe says about a payment must be booked all the
   * same.
   */
  async listed<One>(right: StripeRight, list: AsyncIterable<One>): Promise<One[]> {
    return (await this.permitted(right, collected(list))) ?? [];
  }

  private failed(right: StripeRight, error: unknown): Error {
    if (error instanceof Stripe.errors.StripePermissionError) this.rights.missing(right);
    return translated(error, right);
  }
}

async function collected<One>(list: AsyncIterable<One>): Promise<One[]> {
  const all: One[] = [];
  for await (const one of list) all.push(one);
  return all;
}
