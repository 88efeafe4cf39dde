import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderHealth } from '../../src/payments/provider-health.js';
import { World } from '../money/world.js';
import { as } from '../support/bearer.js';
import { adminToken, sql } from '../support/fixtures.js';
import { type PaymentsApp, STRIPE, startPaymentsApp } from '../support/payments.js';
import { until } from '../support/until.js';

let app: PaymentsApp;
let token: string;
let world: World;

interface ProviderState {
  readonly name: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly lastOkAt: string | null;
  readonly failingSince: string | null;
  readonly lastWebhookAt: string | null;
}

beforeAll(async () => {
  app = await startPaymentsApp();
  token = await adminToken(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  world = await World.create(app, token);
});

async function stateOf(name: string): Promise<ProviderState> {
  const { body } = await as(app, token).get(`/events/${world.event.id}/tonight`).expect(200);
  const found = (body as { providers: ProviderState[] }).providers.find((one) => one.name === name);
  if (!found) throw new Error(`nothing about ${name}`);
  return found;
}

const untilState = (name: string, state: string) =>
  until(async () => (await stateOf(name)).state === state, `${name} ${state}`);
const unreachable = async () =>
  (await world.reviewItems('provider:stripe')).filter(({ kind }) => kind === 'provider_unreachable');

describe('the health of a provider', () => {
  it('is known from the questions to it and the messages from it, and holds no secret', async () => {
    const { paymentId } = await world.intent('card', 1000);
    await untilState('stripe', 'ok');
    expect(await stateOf('stripe')).toMatchObject({ enabled: true, failingSince: null });
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await until(async () => (await stateOf('stripe')).lastWebhookAt !== null, 'the webhook was heard');
    const { text } = await as(app, token).get(`/events/${world.event.id}/tonight`).expect(200);
    expect(text).not.toContain(STRIPE.secretKey);
    expect(text).not.toContain(STRIPE.webhookSecret);
  });

  it('is not changed by a message that somebody forged', async () => {
    await sql(app, 'UPDATE provider_health SET last_webhook_at = NULL');
    await app.http
      .post('/donations/wallet/webhook')
      .set('content-type', 'application/json')
      .send('{"id":"WH-1","event_type":"CHECKOUT.ORDER.COMPLETED"}')
      .expect(400);
    expect((await stateOf('paypal')).lastWebhookAt).toBeNull();
  });

  it('is failing while it gives no answer; a person hears of it when that lasts, and it closes by itself', async () => {
    app.sandbox.faults.add({ provider: 'stripe', operation: '*', kind: 'error', times: 0 });
    world.mayStumble = true;
    expect(await world.tryIntent('card', 1000)).toBeUndefined();
    await untilState('stripe', 'failing');
    const health = app.app.get(ProviderHealth);
    await health.watch();
    // Young, and so perhaps only a hiccup.
    expect(await unreachable()).toEqual([]);
    await sql(
      app,
      "UPDATE provider_health SET failing_since = now() - interval '11 minutes' WHERE provider = 'stripe'",
    );
    await health.watch();
    await health.watch();
    const items = await unreachable();
    expect(items).toMatchObject([
      {
        title: 'A payment provider does not answer',
        meaning: expect.stringContaining('not lost'),
        actions: [
          { action: 'check', method: 'POST', path: '/settings/providers/stripe/check' },
          { action: 'resolve', path: expect.stringMatching(/^\/review-items\/[\w-]+\/resolve$/) },
        ],
      },
    ]);
    app.sandbox.faults.clear();
    await world.intent('card', 1000);
    await untilState('stripe', 'ok');
    await until(async () => (await unreachable()).length === 0, 'the item closed');
  });

  it('that fails again is on the list again, also where a person took it off while it failed before', async () => {
    const health = app.app.get(ProviderHealth);
    const fails = async () => {
      app.sandbox.faults.add({ provider: 'stripe', operation: '*', kind: 'error', times: 0 });
      world.mayStumble = true;
      expect(await world.tryIntent('card', 1000)).toBeUndefined();
      await untilState('stripe', 'failing');
      await sql(
        app,
        "UPDATE provider_health SET failing_since = now() - interval '11 minutes' WHERE provider = 'stripe'",
      );
      await health.watch();
    };
    await fails();
    const [item] = await unreachable();
    expect((await world.call('POST', `/review-items/${item?.id}/resolve`)).status).toBe(200);
    await health.watch();
    // While it lasts, whoever has seen it is left alone.
    expect(await unreachable()).toEqual([]);
    app.sandbox.faults.clear();
    await world.intent('card', 1000);
    await untilState('stripe', 'ok');
    // All that was noted is written.
    await health.onApplicationShutdown();
    await fails();
    expect(await unreachable()).toHaveLength(1);
    app.sandbox.faults.clear();
    await world.intent('card', 1000);
    await until(async () => (await unreachable()).length === 0, 'the item closed');
  });

  it('counts a refusal as an answer', async () => {
    const { donationId } = await world.intent('wallet', 1000);
    const { body } = await world.call('GET', `/donations/${donationId}/story`);
    const { paymentId } = (body as { payment: { paymentId: string } }).payment;
    // The donor has not agreed.
    expect((await world.call('POST', `/donations/wallet/${paymentId}/capture`)).status).toBe(409);
    expect((await stateOf('paypal')).state).toBe('ok');
  });
});
