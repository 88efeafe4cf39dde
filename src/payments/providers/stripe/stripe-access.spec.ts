import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { MissingRightError, ProviderUnavailableError } from '../provider-errors.js';
import { RIGHTS, StripeAccess } from './stripe-access.js';

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

describe('a call to Stripe', () => {
  it('that is answered shows that the key has the right', async () => {
    const { stripe, said } = access();
    await expect(stripe.asked(RIGHTS.readEvents, Promise.resolve(7))).resolves.toBe(7);
    expect(said).toEqual(['Events: read given']);
  });

  it('that is forbidden names the right, and one that fails otherwise says nothing about it', async () => {
    const { stripe, said } = access();
    const asked = stripe.asked(RIGHTS.refund, Promise.reject(forbidden()));
    await expect(asked).rejects.toThrow('lacks the right Charges and Refunds: write');
    const cause = broken();
    await expect(stripe.asked(RIGHTS.readPayments, Promise.reject(cause))).rejects.toMatchObject({ cause });
    expect(said).toEqual(['Charges and Refunds: write missing']);
  });

  it('that may be forbidden gives nothing then; other failures are thrown', async () => {
    const { stripe } = access();
    await expect(stripe.permitted(RIGHTS.readBalance, Promise.reject(forbidden()))).resolves.toBeUndefined();
    await expect(stripe.listed(RIGHTS.readDisputes, failing(forbidden()))).resolves.toEqual([]);
    await expect(stripe.listed(RIGHTS.readDisputes, failing(broken()))).rejects.toThrow(
      ProviderUnavailableError,
    );
  });

  it('for a list gives what there was before it was forbidden, and then says so', async () => {
    const { stripe, said } = access();
    const seen: number[] = [];
    const read = async () => {
      for await (const one of stripe.each(RIGHTS.readEvents, failing(forbidden()))) seen.push(one);
    };
    await expect(read()).rejects.toThrow(MissingRightError);
    expect([seen, said]).toEqual([[1], ['Events: read missing']]);
  });
});
