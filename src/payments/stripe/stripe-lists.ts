import { Logger } from '@nestjs/common';
import Stripe from 'stripe';
import { translated } from './stripe-errors.js';

const logger = new Logger('Stripe');
const warnedOf = new Set<string>();

/**
 * All of a list, page by page. A key that may not read it gives nothing: the rest of what Stripe says about a
 * payment must be booked all the same. Said once in the log, for the operator to widen the key.
 */
export async function listed<T>(list: AsyncIterable<T>, what: string): Promise<T[]> {
  return (await permitted(collected(list), what)) ?? [];
}

/** The answer to a call; undefined when the key may not ask. */
export async function permitted<T>(call: Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw translated(error);
    if (!warnedOf.has(what))
      logger.warn({ msg: `The key may not read ${what} at Stripe: give it that right`, what });
    warnedOf.add(what);
    return undefined;
  }
}

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

async function collected<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}
