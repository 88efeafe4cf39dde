import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ON_SCHEDULE,
  ReconciliationService,
} from '../../src/payments/reconciliation/reconciliation.service.js';
import { sql } from '../support/fixtures.js';
import { until } from '../support/until.js';
import { withPaymentWorld } from '../money/with-world.js';

/** Webhook events that reconciliation finds but cannot handle, and readings that were interrupted long ago. */

const DAY = 24 * 3_600_000;

const { app, world } = withPaymentWorld({ check: 'none' });

beforeEach(async () => {
  for (const table of ['event_reading', 'unhandled_event', 'review_item'])
    await sql(app, `DELETE FROM ${table}`);
});
afterEach(() => {
  app.sandbox.faults.clear();
});

const onSchedule = async () =>
  await until(
    async () =>
      (await app.app.get(ReconciliationService).run({ ...ON_SCHEDULE, settleAfterMs: 0 })) !== undefined,
    'a run on schedule',
  );
const unhandled = async () =>
  (await sql<{ id: string }>(app, 'SELECT webhook_event_id AS id FROM unhandled_event')).map(({ id }) => id);
const keepUnhandled = (id: string, days: number) =>
  sql(
    app,
    `INSERT INTO unhandled_event (provider, webhook_event_id, found_at, tried_at)
     VALUES ('paypal', $1, now() - make_interval(days => $2), now() - interval '1 minute')`,
    [id, days],
  );

describe('unhandled webhook events', () => {
  it('unhandled events do not stop the rest of reconciliation, although six in a row get no answer', async () => {
    const { paypal, faults } = app.sandbox;
    const custom_id = `event:${world.event.id}`;
    const captured = Array.from({ length: 6 }, () => {
      const { id } = paypal.createCapturedOrder({ amount: 1000, currency: 'eur', custom_id });
      return world.message('PAYMENT.CAPTURE.COMPLETED', paypal.captureOf(id).id).id;
    });
    for (const id of captured) await keepUnhandled(id, 0);
    faults.add({ provider: 'paypal', operation: 'captures.get', kind: 'rate_limit', times: 0 });
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    paypal.approve(paymentId);
    await onSchedule();
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await unhandled()).toEqual(expect.arrayContaining(captured));
  });

  it('unhandled events are listed as expired once the provider no longer has them', async () => {
    await keepUnhandled('WH-GONE-1', 29);
    await keepUnhandled('WH-GONE-2', 40);
    await keepUnhandled('WH-GONE-3', 20);
    await onSchedule();
    expect(await unhandled()).toEqual([]);
    const items = await sql<{ subject: string; since: string }>(
      app,
      "SELECT subject, detail ->> 'since' AS since FROM review_item WHERE kind = 'events_expired' AND resolved_at IS NULL",
    );
    expect(items).toEqual([{ subject: 'provider:paypal', since: expect.any(String) }]);
    expect(Date.parse(items[0]?.since ?? '')).toBeLessThan(Date.now() - 40 * DAY);
    expect(Date.parse(items[0]?.since ?? '')).toBeGreaterThan(Date.now() - 42 * DAY);
  });
});

describe('an interrupted reading of events', () => {
  it('an interrupted reading does not hide the newest events after more than 30 days', async () => {
    await onSchedule();
    await sql(
      app,
      `UPDATE event_reading SET read_to = now() - interval '33 days', read_at = now() - interval '33 days',
         newest = now() - interval '31 days', reached = now() - interval '32 days'`,
    );
    app.sandbox.stripe.deliveries.isEnabled = false;
    app.sandbox.stripe.createPaid({ amount: 700, currency: 'eur', metadata: { eventId: world.event.id } });
    app.sandbox.stripe.deliveries.isEnabled = true;
    await onSchedule();
    expect(await world.donations()).toMatchObject([{ status: 'COMPLETED', amount: 700 }]);
  });
});
