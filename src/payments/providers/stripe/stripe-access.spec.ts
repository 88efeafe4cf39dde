import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { MissingRightError, ProviderUnavailableError, ProviderRefusedError } from '../provider-errors.js';
import { RIGHTS, StripeAccess, translated } from './stripe-access.js';

const forbidden = () =>
  new Stripe.errors.StripePermissionError({ type: 'invalid_request_error', statusCode: 403 });
const broken = () => new Stripe.errors.StripeAPIError({ type: 'api_error', statusCode: 500 });

async function* failing(error: Error): AsyncGenerator<number> {
  yield await Promise.resolve(1);
  throw error;
}

function access() {
  const stripe = new StripeAccess();
  const said: string[] = [];
  stripe.rights.watch((right, isGiven) => void said.push(`${right} ${isGiven ? 'given' : 'missing'}`));
  return { stripe, said };
}

describe('StripeAccess', () => {
  it('records a right as given after a successful call', async () => {
    const { stripe, said } = access();
    await expect(stripe.asked(RIGHTS.readEvents, Promise.resolve(7))).resolves.toBe(7);
    expect(said).toEqual(['Events: read given']);
  });

  it('names the missing right after a 403, but not after another failure', async () => {
    const { stripe, said } = access();
    const asked = stripe.asked(RIGHTS.refund, Promise.reject(forbidden()));
    await expect(asked).rejects.toThrow('lacks the right Charges and Refunds: write');
    const cause = broken();
    await expect(stripe.asked(RIGHTS.readPayments, Promise.reject(cause))).rejects.toMatchObject({ cause });
    expect(said).toEqual(['Charges and Refunds: write missing']);
  });

  it('returns no answer if an optional right is missing, and throws other failures', async () => {
    const { stripe } = access();
    await expect(stripe.permitted(RIGHTS.readBalance, Promise.reject(forbidden()))).resolves.toBeUndefined();
    await expect(stripe.listed(RIGHTS.readDisputes, failing(forbidden()))).resolves.toEqual([]);
    await expect(stripe.listed(RIGHTS.readDisputes, failing(broken()))).rejects.toThrow(
      ProviderUnavailableError,
    );
  });

  it('returns the entries of a list before a 403, then throws', async () => {
    const { stripe, said } = access();
    const seen: number[] = [];
    const read = async () => {
      for await (const one of stripe.each(RIGHTS.readEvents, failing(forbidden()))) seen.push(one);
    };
    await expect(read()).rejects.toThrow(MissingRightError);
    expect([seen, said]).toEqual([[1], ['Events: read missing']]);
  });
});

const answered = (statusCode: number, type: Stripe.RawErrorType, code?: string) =>
  Stripe.errors.StripeError.generate({ type, code, statusCode, message: 'as Stripe says it' });

describe('translated() for errors of Stripe', () => {
  it.each([
    [400, 'invalid_request_error', 'amount_too_small'],
    [404, 'invalid_request_error', 'resource_missing'],
    [402, 'card_error', 'card_declined'],
  ] as const)('translates %i %s (%s) to a final refusal with its code', (status, type, code) => {
    const error = translated(answered(status, type, code));
    expect(error).toBeInstanceOf(ProviderRefusedError);
    expect(error).toMatchObject({ reason: code });
  });

  it('uses the type of an error without a code', () => {
    expect(translated(answered(400, 'invalid_request_error'))).toMatchObject({
      reason: 'StripeInvalidRequestError',
    });
  });

  it.each([
    [409, 'invalid_request_error', 'lock_timeout'],
    [409, 'card_error', undefined],
    [500, 'api_error', undefined],
    [429, 'rate_limit_error', 'rate_limit'],
  ] as const)(
    'translates %i %s (%s) to an unknown outcome, so that the request may be sent again',
    (status, type, code) => {
      expect(translated(answered(status, type, code))).toBeInstanceOf(ProviderUnavailableError);
    },
  );

  it('translates a 409 of every error class to an unknown outcome', () => {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    for (const [Class, type] of [
      [StripeInvalidRequestError, 'invalid_request_error'],
      [StripeCardError, 'card_error'],
    ] as const)
      expect(translated(new Class({ type, statusCode: 409 }))).toBeInstanceOf(ProviderUnavailableError);
  });

  it('translates network errors to an unknown outcome', () => {
    for (const error of [new Stripe.errors.StripeConnectionError({ message: 'reset' }), new Error('odd')])
      expect(translated(error)).toBeInstanceOf(ProviderUnavailableError);
  });

  it('names in a 403 the right of the call, or else the right in the message', () => {
    const forbidden = new Stripe.errors.StripePermissionError({
      type: 'invalid_request_error',
      statusCode: 403,
      message: "Having the 'rak_dispute_read' permission would allow this request to continue.",
    });
    expect(translated(forbidden, 'Disputes: read')).toBeInstanceOf(MissingRightError);
    expect(translated(forbidden, 'Disputes: read')).toMatchObject({ right: 'Disputes: read' });
    expect(translated(forbidden)).toMatchObject({ right: 'rak_dispute_read' });
  });

  it('returns a translated error unchanged', () => {
    const refused = new ProviderRefusedError('resource_missing');
    expect(translated(refused)).toBe(refused);
    const away = new ProviderUnavailableError('stripe');
    expect(translated(away)).toBe(away);
  });
});
