import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { stripeClient } from '../testing/clients.js';
import { startSandbox } from './sandbox.js';

it('keeps the state of both accounts in a file, and loads it at the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const options = {
    dataFile: join(folder, 'state', 'sandbox.json'),
    stripe: { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' },
    paypal: { clientId: 'client', clientSecret: 'secret', webhookId: 'W' },
  };
  const first = await startSandbox(options);
  const made = await stripeClient(first).paymentIntents.create(
    { amount: 1000, currency: 'eur' },
    { idempotencyKey: 'k' },
  );
  first.stripe.pay(made.id);
  const order = first.paypal.createCapturedOrder({ amount: 500, currency: 'EUR' });
  await first.close();
  expect(await readFile(options.dataFile, 'utf8')).toContain(made.id);

  const second = await startSandbox(options);
  const again = await stripeClient(second).paymentIntents.create(
    { amount: 1000, currency: 'eur' },
    { idempotencyKey: 'k' },
  );
  expect(again.id).toBe(made.id);
  expect(second.stripe.netHeld('eur')).toBe(1000);
  expect(second.paypal.netHeld('eur')).toBe(500);
  expect(second.paypal.order(order.id).status).toBe('COMPLETED');
  expect(second.stripe.events()).toHaveLength(3);
  await second.close();
  await rm(folder, { recursive: true });
});
