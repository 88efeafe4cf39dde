import type Stripe from 'stripe';

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
