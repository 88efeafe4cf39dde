import { beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderHealth } from '../../src/payments/providers/provider-health.js';
import { sql } from '../support/fixtures.js';
import { STRIPE } from '../support/payments.js';
import { until } from '../support/until.js';
import { withPaymentWorld } from '../money/with-world.js';

const { app, admin, world } = withPaymentWorld({ check: 'none' });

interface ProviderState {
  readonly name: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly lastOkAt: string | null;
  readonly failingSince: string | null;
  readonly lastWebhookAt: string | null;
  readonly webhookProblem: string | null;
}

async function stateOf(name: string): Promise<ProviderState> {
  const { body } = await admin.get(`/events/${world.event.id}/tonight`).expect(200);
  const found = (body as { providers: ProviderState[] }).providers.find((one) => one.name === name);
  if (!found) throw new Error(`no review item about ${name}`);
  return found;
}

const untilState = (name: string, state: string) =>
  until(async () => (await stateOf(name)).state === state, `${name} ${state}`);
const unreachable = async () =>
  (await world.reviewItems('provider:stripe')).filter(({ kind }) => kind === 'provider_unreachable');

describe('health of a provider', () => {
  it('shows the last requests and messages of a provider, and no secret', async () => {
    const { paymentId } = await world.intent('card', 1000);
    await untilState('stripe', 'ok');
    expect(await stateOf('stripe')).toMatchObject({ enabled: true, failingSince: null });
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await until(async () => (await stateOf('stripe')).lastWebhookAt !== null, 'the webhook was heard');
    const { text } = await admin.get(`/events/${world.event.id}/tonight`).expect(200);
    expect(text).not.toContain(STRIPE.secretKey);
    expect(text).not.toContain(STRIPE.webhookSecret);
  });

  it('a forged message does not change the health', async () => {
    await sql(app, 'UPDATE provider_health SET last_webhook_at = NULL');
    await app.http
      .post('/donations/wallet/webhook')
      .set('content-type', 'application/json')
      .send('{"id":"WH-1","event_type":"CHECKOUT.ORDER.COMPLETED"}')
      .expect(400);
    expect((await stateOf('paypal')).lastWebhookAt).toBeNull();
  });

  describe('refused webhook events', () => {
    const post = async (signedAt: number, change = (signature: string) => signature) => {
      const { paymentId } = await world.intent('card', 1000);
      app.sandbox.stripe.pay(paymentId);
      const { id } = world.message('payment_intent.succeeded', paymentId);
      const body = JSON.stringify(app.sandbox.stripe.events().find((one) => one.id === id));
      const headers = app.sandbox.stripe.signatureHeaders(body, Math.round(Date.now() / 1000) + signedAt);
      return await app.http
        .post('/donations/cardprocessor/webhook')
        .set('content-type', 'application/json')
        .set('stripe-signature', change(String(headers['stripe-signature'])))
        .send(body);
    };
    const problem = async () => (await stateOf('stripe')).webhookProblem;
    const wrongSecret = (signature: string) =>
      signature.replace(/v1=./, (start) => (start === 'v1=0' ? 'v1=1' : 'v1=0'));
    beforeEach(async () => {
      await sql(app, 'UPDATE provider_health SET last_refused_at = NULL, last_webhook_at = NULL');
    });

    it.each([
      ['signature', 'another secret signed the events', 0, wrongSecret],
      ['clock', 'our clock is ahead', -400, undefined],
    ])('reports a %s problem if %s, until an event is accepted', async (name, _why, signedAt, change) => {
      expect(await problem()).toBeNull();
      expect((await post(signedAt, change)).body).toMatchObject({
        statusCode: 400,
        code: 'WEBHOOK_SIGNATURE_INVALID',
      });
      await until(async () => (await problem()) === name, 'the problem is known');
      const { body } = await admin.post('/settings/providers/stripe/check').expect(200);
      expect(body).toMatchObject({ ok: true, webhookProblem: name });
      await sql(app, 'UPDATE provider_health SET last_webhook_at = now()');
      expect(await problem()).toBeNull();
      // While valid events arrive, refused events of other senders are not reported as a problem.
      await post(signedAt, change);
      expect(await problem()).toBeNull();
      await sql(app, "UPDATE provider_health SET last_webhook_at = now() - interval '1 hour'");
      expect(await problem()).toBe(name);
    });

    it('ignores refused requests that do not look like events', async () => {
      await app.http.post('/donations/cardprocessor/webhook').send('{}').expect(400);
      expect(await problem()).toBeNull();
    });
  });

  it('reports a provider as failing while it does not answer, with a review item after a while that closes itself', async () => {
    app.sandbox.faults.add({ provider: 'stripe', operation: '*', kind: 'error', times: 0 });
    world.mayStumble = true;
    expect(await world.tryIntent('card', 1000)).toBeUndefined();
    await untilState('stripe', 'failing');
    const health = app.app.get(ProviderHealth);
    await health.watch();
    // The failure is new and may be short, so the service creates no review item yet.
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

  it('a new failure raises the review item again, also when the earlier one was resolved during its failure', async () => {
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
    // An admin has resolved the item. It stays resolved during the same failure.
    expect(await unreachable()).toEqual([]);
    app.sandbox.faults.clear();
    await world.intent('card', 1000);
    await untilState('stripe', 'ok');
    // Saves all pending health records.
    await health.onApplicationShutdown();
    await fails();
    expect(await unreachable()).toHaveLength(1);
    app.sandbox.faults.clear();
    await world.intent('card', 1000);
    await until(async () => (await unreachable()).length === 0, 'the item closed');
  });

  it('a refusal of the provider counts as an answer', async () => {
    const { donationId } = await world.intent('wallet', 1000);
    const { body } = await world.call('GET', `/donations/${donationId}/story`);
    const { paymentId } = (body as { payment: { paymentId: string } }).payment;
    // The capture fails only because the donor has not approved the order. This is no failure of the provider.
    expect((await world.call('POST', `/donations/wallet/${paymentId}/capture`)).status).toBe(409);
    expect((await stateOf('paypal')).state).toBe('ok');
  });
});
