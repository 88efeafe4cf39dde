import Stripe from 'stripe';
import { translated } from './stripe-errors.js';

/** More stored failures in a row than this are no accident. */
const MAX_KEYS = 5;

/**
 * A call under an idempotency key. Stripe keeps a 500 under its key for a day and answers it to every repeat, so
 * the key itself must be left behind: but only after reading whether the call had its effect all the same.
 * The keys follow from the first one, so that every repeat, also by another process, walks the same way.
 * @param happened what the call has made already, if anything
 */
export async function keyed<T>(
  key: string,
  call: (key: string) => Promise<T>,
  happened: () => Promise<T | undefined>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await call(count === 1 ? key : `${key}:${count}`);
    } catch (error) {
      if (!isStoredFailure(error) || count === MAX_KEYS) throw translated(error);
    }
    const made = await happened();
    if (made !== undefined) return made;
  }
}

function isStoredFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true';
}
