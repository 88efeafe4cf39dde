import { describe, expect, it } from '@jest/globals';
import { Balances } from '../../src/payments/payouts/balances.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { withPaymentWorld } from '../money/with-world.js';
import { createStaff } from '../support/fixtures.js';
import { as } from '../support/bearer.js';

const { app, admin, world } = withPaymentWorld({ check: 'none' });

interface Balance {
  provider: string;
  state: string;
  asOf: string | null;
  balances: { currency: string; available: number; pending: number }[];
}

/** A service with an empty cache. */
const fresh = () => new Balances(app.app.get(PaymentProviders));
const of = async (balances: Balances, provider: string) =>
  (await balances.all()).data.find((one) => one.provider === provider);

describe('GET /payouts/balance', () => {
  it('shows the money that each provider holds, without fees, refunds and payouts', async () => {
    const [one] = [await world.paid('card', 10_000), await world.paid('wallet', 5_000)];
    app.sandbox.stripe.refund(one.paymentId, { amount: 2_000 });
    await world.deliverAll(Math.random);
    const { body } = await admin.get('/payouts/balance').expect(200);
    const { data } = body as { data: Balance[] };
    expect(data.map(({ provider, state }) => [provider, state])).toEqual([
      ['stripe', 'known'],
      ['paypal', 'known'],
    ]);
    // Stripe holds a payment back for a week: 100.00 without 1.75 fee and 20.00 refund.
    expect(data[0]?.balances).toEqual([{ currency: 'eur', available: 0, pending: 7_825 }]);
    expect(data[1]?.balances).toEqual([{ currency: 'eur', available: 5_000, pending: 0 }]);
    app.sandbox.stripe.payOut();
    expect((await of(fresh(), 'stripe'))?.balances).toEqual([{ currency: 'eur', available: 0, pending: 0 }]);
  });

  it('shows an unknown balance as unknown: after an outage, and without permission', async () => {
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'balance.retrieve',
      kind: 'error',
      status: 500,
      times: 0,
    });
    app.sandbox.faults.add({ provider: 'paypal', operation: 'balances.get', kind: 'forbidden', times: 0 });
    const balances = fresh();
    const unknown = { balances: [], asOf: null };
    expect(await of(balances, 'stripe')).toEqual({ provider: 'stripe', state: 'unavailable', ...unknown });
    expect(await of(balances, 'paypal')).toEqual({ provider: 'paypal', state: 'not_permitted', ...unknown });
    app.sandbox.faults.clear();
    expect((await of(fresh(), 'stripe'))?.state).toBe('known');
  });

  it('many readers share one answer of a provider', async () => {
    const balances = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => of(balances, 'stripe')));
    expect(new Set(answers.map((answer) => answer?.asOf)).size).toBe(1);
    expect(await of(balances, 'stripe')).toEqual(answers[0]);
  });

  it('answers 403 to volunteers', async () => {
    const { token } = await createStaff(app, admin.token, world.event.id);
    await as(app, token).get('/payouts/balance').expect(403);
  });
});
