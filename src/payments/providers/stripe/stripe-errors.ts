import Stripe from 'stripe';
import { MissingRightError, ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';

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
