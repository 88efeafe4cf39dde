import Stripe from 'stripe';

/**
 * Maximum number of idempotency keys for one call. If Stripe has stored a failure for all of them, a further key
 * would not help.
 */
const MAX_KEYS = 5;

/**
 * Makes a call under an idempotency key. Stripe stores a 500 under its key for a day and returns it to every repeat,
 * so a new key is needed. First, `happened` checks if the failed call succeeded anyway. The further keys are made
 * from the first key, so that every repeat uses the same keys, also in another process.
 * @param happened returns the object that the failed call created, if any
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
      if (!isStoredFailure(error) || count === MAX_KEYS) throw error;
    }
    const made = await happened();
    if (made !== undefined) return made;
  }
}

function isStoredFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true';
}
