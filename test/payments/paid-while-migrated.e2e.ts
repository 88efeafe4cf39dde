import { expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const { app, event } = withEvent({ start: startPaymentsApp });

/** Makes this number of complete payments at the same time. */
async function pay(count: number): Promise<void> {
  const secrets = await Promise.all(
    Array.from({ length: count }, async () => {
      const sent = { amount: 2500, currency: 'eur', metadata: { eventId: event.id, donorName: 'Ada' } };
      const { body } = await app.http.post('/donations/intent').send(sent).expect(201);
      return (body as { clientSecret: string }).clientSecret;
    }),
  );
  for (const secret of secrets) app.sandbox.stripe.pay(secret);
  await app.sandbox.settled();
}

it('the first webhook event of a payment books it while a migration adds columns to the tables', async () => {
  await pay(30);
  for (const table of ['donation', 'donation_history', 'outbox', 'webhook_event', 'event_total']) {
    await sql(app, `ALTER TABLE ${table} ADD COLUMN later text`);
    await pay(30);
  }
  const tries = app.sandbox.stripe.deliveries
    .list()
    .flatMap(({ attempts }) => attempts.map(({ status }) => status));
  expect(tries.length).toBeGreaterThanOrEqual(180);
  expect(new Set(tries)).toEqual(new Set([200]));
  const [{ count } = { count: '' }] = await sql<{ count: string }>(
    app,
    "SELECT count(*) FROM donation WHERE status = 'COMPLETED'",
  );
  expect(count).toBe('180');
});
