import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { MissingRightError, ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';
import { translated } from './stripe-errors.js';

const answered = (statusCode: number, type: Stripe.RawErrorType, code?: string) =>
  Stripe.errors.StripeError.generate({ type, code, statusCode, message: 'as Stripe says it' });

describe('an error of Stripe', () => {
  it.each([
    [400, 'invalid_request_error', 'amount_too_small'],
    [404, 'invalid_request_error', 'resource_missing'],
    [402, 'card_error', 'card_declined'],
  ] as const)('%i %s (%s) is a definite refusal with its code', (status, type, code) => {
    const error = translated(answered(status, type, code));
    expect(error).toBeInstanceOf(ProviderRefusedError);
    expect(error).toMatchObject({ reason: code });
  });

  it('without a code is refused with its type', () => {
    expect(translated(answered(400, 'invalid_request_error'))).toMatchObject({
      reason: 'StripeInvalidRequestError',
    });
  });

  it.each([
    [409, 'invalid_request_error', 'lock_timeout'],
    [409, 'card_error', undefined],
    [500, 'api_error', undefined],
    [429, 'rate_limit_error', 'rate_limit'],
  ] as const)('%i %s (%s) decides nothing: the same request may be sent again', (status, type, code) => {
    expect(translated(answered(status, type, code))).toBeInstanceOf(ProviderUnavailableError);
  });

  it('of a request that is under way decides nothing, of whichever class the library makes it', () => {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    for (const [Class, type] of [
      [StripeInvalidRequestError, 'invalid_request_error'],
      [StripeCardError, 'card_error'],
    ] as const)
      expect(translated(new Class({ type, statusCode: 409 }))).toBeInstanceOf(ProviderUnavailableError);
  });

  it('of the network decides nothing', () => {
    for (const error of [new Stripe.errors.StripeConnectionError({ message: 'reset' }), new Error('odd')])
      expect(translated(error)).toBeInstanceOf(ProviderUnavailableError);
  });

  it('403 says which right the key lacks: the one that the call needs, else the one that Stripe names', () => {
    const forbidden = new Stripe.errors.StripePermissionError({
      type: 'invalid_request_error',
      statusCode: 403,
      message: "Having the 'rak_dispute_read' permission would allow this request to continue.",
    });
    expect(translated(forbidden, 'Disputes: read')).toBeInstanceOf(MissingRightError);
    expect(translated(forbidden, 'Disputes: read')).toMatchObject({ right: 'Disputes: read' });
    expect(translated(forbidden)).toMatchObject({ right: 'rak_dispute_read' });
  });

  it('that is translated already stays what it is', () => {
    const refused = new ProviderRefusedError('resource_missing');
    expect(translated(refused)).toBe(refused);
    const away = new ProviderUnavailableError('stripe');
    expect(translated(away)).toBe(away);
  });
});
