import { expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from './with-world.js';

const { app, world } = withPaymentWorld({ shared: true, check: 'none' });

it('reconciliation deletes old capture refusals, but no refusals of open donations', async () => {
  const [open, settled, young] = [
    await world.intent('wallet', 1_000),
    await world.intent('wallet', 1_000),
    await world.intent('wallet', 1_000),
  ];
  // PayPal refuses the capture, because the donor has not approved the order.
  for (const { paymentId } of [open, settled, young])
    expect((await world.call('POST', `/donations/wallet/${paymentId}/capture`)).status).toBe(409);
  await world.cancel(settled.donationId, { shouldRefund: false });
  await sql(
    app,
    "UPDATE capture_refusal SET updated_at = now() - interval '91 days' WHERE payment_id <> $1",
    [young.paymentId],
  );
  await world.reconcile();
  const left = await sql<{ payment_id: string }>(app, 'SELECT payment_id FROM capture_refusal');
  expect(left.map(({ payment_id }) => payment_id).sort()).toEqual([open.paymentId, young.paymentId].sort());
});
