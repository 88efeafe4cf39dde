import Stripe from 'stripe';
import { KeyRights } from '../key-rights.js';
import { MissingRightError, ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';
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

/** A definite "no" of Stripe, or "no usable answer". @param right what the call needs, as Stripe's dashboard names it */
export function translated(error: unknown, right?: string): Error {
  if (error instanceof ProviderRefusedError || error instanceof ProviderUnavailableError) return error;
  const { StripeCardError, StripeInvalidRequestError, StripePermissionError } = Stripe.errors;
  if (error instanceof StripePermissionError)
    return new MissingRightError('stripe', right ?? namedIn(error.message), error.code ?? error.type);
  const refused = error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
  // 409: a request with the same key is under way.
  if (refused && error.statusCode !== 409) return new ProviderRefusedError(error.code ?? error.type);
  return new ProviderUnavailableError('stripe', { cause: error });
}

/** Stripe ends with "Having the 'rak_dispute_read' permission would allow this request to continue." */
const namedIn = (message: string): string =>
  /'(rak_\w+)'/.exec(message)?.[1] ?? 'that its log of requests names';

/** Each of a list, with when Stripe said so: a page is read long before the last of it is worked on. */
export async function* dated<T extends { readonly id: string }>(
  pageAfter: (startingAfter: string | undefined) => Promise<Stripe.Response<Stripe.ApiList<T>>>,
): AsyncGenerator<{ readonly one: T; readonly asOf: Date }, void, undefined> {
  for (let last: string | undefined; ;) {
    const page = await pageAfter(last);
    const asOf = saidAt(page);
    for (const one of page.data) yield { one, asOf };
    last = page.data.at(-1)?.id;
    if (!page.has_more || last === undefined) return;
  }
}

/**
 * When an answer was given, by Stripe's clock and to the second, as its events are dated: ours may be ahead of it, and the
 * next event would seem to be older than what was read.
 */
export function saidAt({ lastResponse }: Stripe.Response<unknown>): Date {
  // Its types have a plain object, which its client by `fetch` does not give.
  const said = Date.parse(new Headers(lastResponse.headers).get('date') ?? '');
  return new Date(Math.floor((Number.isNaN(said) ? Date.now() : said) / 1000) * 1000);
}
