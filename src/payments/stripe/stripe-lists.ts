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

async function collected<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}
