import Stripe from 'stripe';
import { KeyRights } from '../key-rights.js';
import { MissingRightError, ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';
/** Rights of a restricted key that this service uses, by their names in Stripe's dashboard. */
export const RIGHTS = {
  takePayments: 'PaymentIntents: write',
  readPayments: 'PaymentIntents: read',
  refund: 'Charges and Refunds: write',
  readRefunds: 'Charges and Refunds: read',
  readDisputes: 'Disputes: read',
  readEvents: 'Events: read',
  readBalance: 'Balance transactions: read',
  readAccountBalance: 'Balance: read',
  readPayouts: 'Payouts: read',
  readEndpoints: 'Webhook Endpoints: read',
  saveCards: 'Customers: write, SetupIntents: write',
} as const;

export type StripeRight = (typeof RIGHTS)[keyof typeof RIGHTS];

/**
 * Makes calls to Stripe, each with the permission that the call needs. Records the permissions of the key, and translates
 * Stripe's errors into the errors of the port.
 */
export class StripeAccess {
  readonly rights = new KeyRights();

  /** Returns the answer to a call. */
  async asked<Answer>(right: StripeRight, call: Promise<Answer>): Promise<Answer> {
    try {
      const answer = await call;
      this.rights.given(right);
      return answer;
    } catch (error) {
      throw this.failed(right, error);
    }
  }

  /** Returns each entry of a list, page by page. */
  async *each<One>(right: StripeRight, list: AsyncIterable<One>): AsyncGenerator<One, void, undefined> {
    try {
      for await (const one of list) yield one;
      this.rights.given(right);
    } catch (error) {
      throw this.failed(right, error);
    }
  }

  /** Returns the answer to a call; undefined if the key lacks the permission. */
  async permitted<Answer>(right: StripeRight, call: Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await this.asked(right, call);
    } catch (error) {
      if (error instanceof MissingRightError) return undefined;
      throw error;
    }
  }

  /**
   * Returns all entries of a list. If the key lacks the permission, returns an empty list, so that the other facts of the
   * payment can still be booked.
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

/**
 * Translates an error into a final refusal, or into `ProviderUnavailableError` if the result is unknown.
 * @param right the right that the call needs, with its name in Stripe's dashboard
 */
export function translated(error: unknown, right?: string): Error {
  if (error instanceof ProviderRefusedError || error instanceof ProviderUnavailableError) return error;
  const { StripeCardError, StripeInvalidRequestError, StripePermissionError } = Stripe.errors;
  if (error instanceof StripePermissionError)
    return new MissingRightError('stripe', right ?? namedIn(error.message), error.code ?? error.type);
  const refused = error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
  // Status 409 means that another request with the same key is in progress.
  if (refused && error.statusCode !== 409) return new ProviderRefusedError(error.code ?? error.type);
  return new ProviderUnavailableError('stripe', { cause: error });
}

/** Stripe's message ends with "Having the 'rak_dispute_read' permission would allow this request to continue." */
const namedIn = (message: string): string => /'(rak_\w+)'/.exec(message)?.[1] ?? 'named in its request log';

/**
 * Returns each entry of a list with the time of Stripe's answer. This time is needed because the caller may use an
 * entry long after its page was read.
 */
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
 * Returns the time of an answer by Stripe's clock, in whole seconds like the times of Stripe's events. With our own
 * clock, which may be ahead, the next event could seem older than this answer.
 */
export function saidAt({ lastResponse }: Stripe.Response<unknown>): Date {
  // By the types, `headers` is a plain object, but the `fetch` client returns another type.
  const said = Date.parse(new Headers(lastResponse.headers).get('date') ?? '');
  return new Date(Math.floor((Number.isNaN(said) ? Date.now() : said) / 1000) * 1000);
}
