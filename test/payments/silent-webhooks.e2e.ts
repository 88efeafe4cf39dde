import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MetricsServer } from '../../src/health/metrics-server.js';
import {
  ON_SCHEDULE,
  ReconciliationService,
} from '../../src/payments/reconciliation/reconciliation.service.js';
import { ProviderHealth } from '../../src/payments/providers/provider-health.js';
import { expectSettledBooks } from '../money/invariants.js';
import { reconcileByHand } from '../money/operator.js';
import type { ReviewItem } from '../money/world.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { until } from '../support/until.js';
import { withPaymentWorld } from '../money/with-world.js';

/** Webhook events that a provider never sends, because its endpoint is removed, disabled, or not subscribed to their type. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const { app, admin, world } = withPaymentWorld({
  start: () => startPaymentsApp({ METRICS_PORT: '0' }),
  check: 'none',
});

beforeEach(async () => {
  await sql(app, 'DELETE FROM event_reading');
  await sql(app, 'DELETE FROM review_item');
  await sql(app, 'DELETE FROM provider_health');
});
afterEach(() => {
  app.sandbox.setDeliveryMode('manual');
  for (const provider of ['stripe', 'paypal'] as const) {
    app.sandbox[provider].deliveries.isEnabled = true;
    app.sandbox[provider].deliveries.subscribed = undefined;
  }
});

interface Listed extends ReviewItem {
  readonly dueBy: string | null;
  readonly title: string;
}

const items = async (kind: string) => {
  const { body } = await world.call('GET', '/review-items');
  return (body as unknown as Listed[]).filter((item) => item.kind === kind);
};
const stateOf = async (name: 'stripe' | 'paypal') => {
  const { body } = await admin.get(`/events/${world.event.id}/tonight`).expect(200);
  const { providers } = body as { providers: { name: string; [field: string]: unknown }[] };
  return providers.find((one) => one.name === name) ?? { name };
};
const onSchedule = async (settleAfterMs = 0) =>
  await until(
    async () =>
      (await app.app.get(ReconciliationService).run({ ...ON_SCHEDULE, settleAfterMs })) !== undefined,
    'a run on schedule',
  );
const paidOnPage = (amount = 700) =>
  app.sandbox.stripe.createPaid({ amount, currency: 'eur', metadata: { eventId: world.event.id } });
const health = () => app.app.get(ProviderHealth);
const address = () => `${app.url}/donations/cardprocessor/webhook`;
const foundInMetrics = async () => {
  const port = app.app.get(MetricsServer).port ?? 0;
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
};

describe('a removed webhook endpoint at Stripe', () => {
  it('npm run reconcile finds a payment of a page, a refund of an old donation and a dispute', async () => {
    const { stripe } = app.sandbox;
    const oldGift = await world.intent('card', 2000);
    const disputed = await world.intent('card', 3000);
    for (const { paymentId } of [oldGift, disputed]) stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await sql(app, `UPDATE donation SET paid_at = now() - interval '8 days' WHERE id = $1`, [
      oldGift.donationId,
    ]);
    await world.reconcile();

    app.sandbox.clock.advance(MINUTE);
    app.sandbox.setDeliveryMode('auto');
    app.sandbox.setWebhookUrls({ stripe: [] });
    const onPage = paidOnPage(4500);
    stripe.refund(oldGift.paymentId);
    const dispute = stripe.openDispute(disputed.paymentId, { dueInDays: 7 });
    app.sandbox.setWebhookUrls({ stripe: address() });
    await app.sandbox.settled();
    expect(await world.donation(oldGift.donationId)).toMatchObject({ status: 'COMPLETED' });

    const { findings } = await reconcileByHand(app);
    const healed = findings.filter(({ result }) => result === 'healed').map(({ found }) => found);
    expect(healed).toEqual(
      expect.arrayContaining([
        'payment_intent.succeeded was never delivered',
        'refund.created was never delivered',
        'charge.dispute.created was never delivered',
      ]),
    );
    expect(await world.donation(oldGift.donationId)).toMatchObject({ status: 'REFUNDED' });
    expect(await world.donations()).toEqual(
      expect.arrayContaining([expect.objectContaining({ amount: 4500, status: 'COMPLETED' })]),
    );
    expect(await world.reviewItems(disputed.donationId)).toMatchObject([
      { kind: 'dispute', dueBy: new Date((dispute.evidence_details.due_by ?? 0) * 1000).toISOString() },
    ]);
    expect((await reconcileByHand(app)).findings.filter(({ result }) => result === 'healed')).toEqual([]);
    await expectSettledBooks(app, world.event.id, [oldGift.paymentId, disputed.paymentId, onPage.id]);
    // Events that reconciliation found are not treated as arrived webhooks.
    expect(await stateOf('stripe')).toMatchObject({ webhookProblem: 'missing' });
  });
});

describe('a provider whose webhook events do not arrive', () => {
  it('shows the missing events at once, lists them when the problem lasts, and recovers with the next event', async () => {
    const { stripe } = app.sandbox;
    stripe.deliveries.isEnabled = false;
    app.sandbox.clock.at(new Date(Date.now() - 20 * MINUTE), () => paidOnPage());
    await onSchedule();
    expect(await stateOf('stripe')).toMatchObject({ webhookProblem: 'missing', lastWebhookAt: null });
    expect(await items('webhooks_missing')).toMatchObject([
      {
        subject: 'provider:stripe',
        title: 'No webhook events arrive from a payment provider',
        advice: expect.stringContaining('webhook endpoint'),
      },
    ]);
    expect(await stateOf('paypal')).toMatchObject({ webhookProblem: null });
    const { body } = await admin.post('/settings/providers/stripe/check').expect(200);
    expect(body).toMatchObject({ ok: true, webhookProblem: 'missing', lastWebhookAt: null });

    stripe.deliveries.isEnabled = true;
    app.sandbox.setDeliveryMode('auto');
    await until(async () => {
      paidOnPage();
      await app.sandbox.settled();
      return (await items('webhooks_missing')).length === 0;
    }, 'the item closed');
    const checked = await admin.post('/settings/providers/stripe/check').expect(200);
    expect(checked.body).toMatchObject({ webhookProblem: null, lastWebhookAt: expect.any(String) });
  });

  it('does not list a provider for one lost event among others', async () => {
    const { stripe } = app.sandbox;
    stripe.deliveries.isEnabled = false;
    app.sandbox.clock.at(new Date(Date.now() - 20 * MINUTE), () => paidOnPage());
    await sql(app, "INSERT INTO provider_health (provider, last_webhook_at) VALUES ('stripe', now())");
    stripe.deliveries.isEnabled = true;
    await onSchedule();
    await health().watch();
    expect(await world.donations()).toHaveLength(1);
    expect(await items('webhooks_missing')).toEqual([]);
    expect(await stateOf('stripe')).toMatchObject({ webhookProblem: null });
  });

  it('an event that reconciliation finds counts as found in the metrics, not as arrived', async () => {
    const before = await foundInMetrics();
    app.sandbox.stripe.deliveries.isEnabled = false;
    paidOnPage();
    await onSchedule();
    const after = await foundInMetrics();
    const booked = (text: string, name: string) =>
      Number(new RegExp(`^${name}\\{provider="stripe",outcome="booked"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    expect(booked(after, 'webhook_events_found_total')).toBe(
      booked(before, 'webhook_events_found_total') + 1,
    );
    expect(booked(after, 'webhook_events_total')).toBe(booked(before, 'webhook_events_total'));
    expect((await stateOf('stripe'))['lastWebhookAt']).toBeNull();
  });
});

describe('a webhook endpoint without a subscription to every used type', () => {
  const TYPES = {
    stripe: ['payment_intent.succeeded', 'charge.refunded'],
    paypal: ['PAYMENT.CAPTURE.COMPLETED'],
  };

  it.each([
    ['stripe', 'charge.dispute.created'],
    ['paypal', 'CUSTOMER.DISPUTE.CREATED'],
  ] as const)('lists the missing event types of %s until they are subscribed', async (name, missing) => {
    const { deliveries } = app.sandbox[name];
    deliveries.subscribed = TYPES[name];
    await reconcileByHand(app);
    expect(await items('webhooks_incomplete')).toMatchObject([
      { subject: `provider:${name}`, detail: { types: expect.stringContaining(missing) } },
    ]);
    const state = await stateOf(name);
    expect(state).toMatchObject({
      webhookProblem: 'incomplete',
      unsubscribedTypes: expect.arrayContaining([missing]),
    });
    expect(state['unsubscribedTypes']).not.toContain(TYPES[name][0]);
    deliveries.subscribed = undefined;
    const { body } = await admin.post(`/settings/providers/${name}/check`).expect(200);
    expect(body).toMatchObject({ webhookProblem: null, unsubscribedTypes: [] });
    expect(await items('webhooks_incomplete')).toEqual([]);
  });

  it('is not reported if the API key has no permission to read the endpoint', async () => {
    app.sandbox.stripe.deliveries.subscribed = TYPES.stripe;
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'webhook_endpoints.list',
      kind: 'forbidden',
      times: 0,
    });
    await reconcileByHand(app);
    expect(await items('webhooks_incomplete')).toEqual([]);
    expect(await items('reconciliation')).toEqual([]);
  });
});
describe('reading of provider events', () => {
  it('retries a failed event by its id, also in another process', async () => {
    const { paypal, faults } = app.sandbox;
    await onSchedule();
    paypal.deliveries.isEnabled = false;
    const custom_id = `event:${world.event.id}`;
    const order = paypal.createCapturedOrder({ amount: 1000, currency: 'eur', custom_id });
    const { id: capture } = paypal.captureOf(order.id);
    for (const id of [order.id, capture]) paypal.hide(id, { status: 404 });
    await onSchedule();
    expect(await sql(app, 'SELECT 1 FROM unhandled_event')).not.toEqual([]);
    // Moves the reading position so far forward that the next runs do not read this event again.
    await sql(app, "UPDATE event_reading SET read_to = now() + interval '1 day' WHERE provider = 'paypal'");
    for (const id of [order.id, capture]) paypal.reveal(id);
    await onSchedule();
    expect(await world.donations()).toMatchObject([{ status: 'COMPLETED', amount: 1000 }]);
    expect(await sql(app, 'SELECT 1 FROM unhandled_event')).toEqual([]);
    faults.clear();
  });

  it('reports a reading gap longer than the provider keeps its events, until a reading of all payments covers the gap', async () => {
    await onSchedule();
    expect(await items('events_expired')).toEqual([]);
    await sql(
      app,
      `UPDATE event_reading SET read_at = now() - interval '31 days', read_to = now() - interval '31 days'`,
    );
    const since = new Date(Date.now() - 31 * DAY - 60 * MINUTE);
    await onSchedule();
    expect(await items('events_expired')).toMatchObject([
      { detail: { since: expect.any(String) }, advice: expect.stringContaining('--since') },
      { detail: { since: expect.any(String) } },
    ]);
    await reconcileByHand(app, new Date(Date.now() - DAY));
    expect(await items('events_expired')).toHaveLength(2);
    await reconcileByHand(app, since);
    expect(await items('events_expired')).toEqual([]);
  });
});

describe('a webhook endpoint disabled for hours', () => {
  it('finds the event without a list of undelivered events and books it once', async () => {
    const { stripe } = app.sandbox;
    stripe.deliveries.isEnabled = false;
    const { id } = paidOnPage();
    await onSchedule();
    expect(await world.donations()).toHaveLength(1);
    const before = (await sql<{ count: number }>(app, 'SELECT count(*)::int AS count FROM webhook_event'))[0];
    await onSchedule();
    const after = (await sql<{ count: number }>(app, 'SELECT count(*)::int AS count FROM webhook_event'))[0];
    expect(after).toEqual(before);
    await expectSettledBooks(app, world.event.id, [id]);
  });

  it('a scheduled run leaves new events to their delivery', async () => {
    app.sandbox.stripe.deliveries.isEnabled = false;
    paidOnPage();
    await onSchedule(3 * MINUTE);
    expect(await world.donations()).toEqual([]);
    await onSchedule(0);
    expect(await world.donations()).toHaveLength(1);
  });
});

// From here the clock of the sandbox only moves forward, because a provider lists new events only after the events that it
// listed before.
describe('continued reading of provider events', () => {
  it.each(['stripe', 'paypal'] as const)(
    'a scheduled run finds the unsent events of %s once, and the next run continues from there',
    async (name) => {
      const provider = app.sandbox[name];
      await onSchedule();
      provider.deliveries.isEnabled = false;
      const made: string[] = [];
      for (let hour = 0; hour < 3; hour += 1) {
        const custom_id = `event:${world.event.id}`;
        made.push(
          name === 'stripe'
            ? paidOnPage().id
            : app.sandbox.paypal.createCapturedOrder({ amount: 700, currency: 'eur', custom_id }).id,
        );
        app.sandbox.clock.advance(60 * MINUTE);
      }
      provider.deliveries.isEnabled = true;
      expect(world.waiting().filter((message) => message.provider === name)).toHaveLength(
        world.waiting().length,
      );
      await onSchedule();
      expect(await world.donations()).toHaveLength(3);
      await onSchedule();
      expect(await world.donations()).toHaveLength(3);
      await expectSettledBooks(app, world.event.id, made);
    },
  );

  it('the next run continues an interrupted run and misses no event', async () => {
    const { stripe, faults } = app.sandbox;
    await onSchedule();
    stripe.deliveries.isEnabled = false;
    for (let count = 0; count < 120; count += 1) {
      app.sandbox.clock.advance(10_000);
      paidOnPage(100 + count);
    }
    // The request for the second page gets no answer.
    faults.add({ provider: 'stripe', operation: 'events.list', kind: 'error', skip: 1, times: 0 });
    await onSchedule();
    faults.clear();
    const [broken] = await sql<{ reached: Date | null; read_to: Date | null }>(
      app,
      "SELECT reached, read_to FROM event_reading WHERE provider = 'stripe'",
    );
    expect(broken?.reached).not.toBeNull();
    expect(await world.donations()).toHaveLength(100);
    await onSchedule();
    const [done] = await sql<{ reached: Date | null; read_to: Date | null }>(
      app,
      "SELECT reached, read_to FROM event_reading WHERE provider = 'stripe'",
    );
    expect(done?.reached).toBeNull();
    expect(done?.read_to?.getTime()).toBeGreaterThan(broken?.read_to?.getTime() ?? 0);
    const [{ count } = { count: 0 }] = await sql<{ count: number }>(
      app,
      'SELECT count(*)::int AS count FROM donation WHERE event_id = $1',
      [world.event.id],
    );
    expect(count).toBe(120);
  });
});
