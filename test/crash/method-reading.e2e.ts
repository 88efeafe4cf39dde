import { describe, expect, it } from '@jest/globals';
import { withOpened } from '../support/setup.js';
import { sql } from '../support/fixtures.js';
import { CrashingService } from './crashing-service.js';

const service = withOpened(() => CrashingService.start());

const donations = () =>
  sql<{ id: string; method: string | null }>(service, 'SELECT id, method FROM donation ORDER BY id DESC');
const filled = async () => (await donations()).filter(({ method }) => method === 'ideal').length;
const steps = () =>
  sql<{ before_id: string; finished: boolean }>(
    service,
    `SELECT before_id, finished_at IS NOT NULL AS finished FROM method_reading WHERE provider = 'stripe'`,
  );

describe('the reading of the methods of old donations', () => {
  it('a reading that is killed in the middle continues, and asks only about the unread donations', async () => {
    const eventId = await service.newEvent();
    for (let count = 0; count < 30; count += 1) {
      const { body } = await service.call('POST', '/donations/intent', {
        amount: 2500,
        metadata: { eventId },
      });
      service.sandbox.stripe.pay(String(body.clientSecret), { method: 'ideal' });
    }
    await service.sandbox.stripe.deliveries.flush();
    expect(await filled()).toBe(0);
    await sql(service, "UPDATE donation SET checked_at = now(), next_check_at = '9999-12-31'");

    // The other provider has no donations, so its reading ends at once and would be killed first.
    await sql(
      service,
      "INSERT INTO method_reading (provider, before_id, finished_at) SELECT 'paypal', min(id::text)::uuid, now() FROM donation",
    );

    // The first step of twenty donations is written, but its progress is not stored.
    await service.killReconciliationBefore('method_reading_reached');
    expect(await filled()).toBe(20);
    const [killed] = await steps();
    expect(killed).toMatchObject({ finished: false });
    expect(killed!.before_id > (await donations())[0]!.id).toBe(true);

    // Only ten questions are answered.
    service.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.retrieve',
      kind: 'error',
      status: 500,
      skip: 10,
      times: 0,
    });
    await service.reconcile();
    expect(await filled()).toBe(30);
    expect(await steps()).toMatchObject([{ finished: true }]);
  });
});
