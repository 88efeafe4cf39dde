import Stripe from 'stripe';
import { ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';

/** The answer to a call, its failure in the words of the port. */
export async function asked<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw translated(error);
  }
}

/** A definite "no" of Stripe, or "no usable answer". */
export function translated(error: unknown): Error {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
  const refused = error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
  // 409: a request with the same key is under way.
  if (refused && error.statusCode !== 409) return new ProviderRefusedError(error.code ?? error.type);
  return new ProviderUnavailableError('stripe', { cause: error });
}
