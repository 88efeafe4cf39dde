import { expect, it } from '@jest/globals';
import { startSandbox } from '../../sandbox/server/sandbox.js';
import { createTestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { startServerProcess } from '../support/process.js';
import { freePort } from '../support/redis.js';
import { until } from '../support/until.js';

interface Line {
  readonly msg: string;
  readonly webhookEventId?: string;
  readonly donationIds?: string[];
  readonly paymentIds?: string[];
}

it('a repeated webhook event is logged with its donation and payment, like the first one', async () => {
  const [database, sandbox] = [
    await createTestDatabase(),
    await startSandbox({ stripe: STRIPE, paypal: PAYPAL }),
  ];
  const PORT = String(await freePort());
  sandbox.setWebhookUrls({
    stripe: `http://127.0.0.1:${PORT}/donations/cardprocessor/webhook`,
    paypal: `http://127.0.0.1:${PORT}/donations/wallet/webhook`,
  });
  const server = await startServerProcess({
    ...providerEnvironment(sandbox),
    ...{ PORT, DATABASE_URL: database.url, LOG_LEVEL: 'info' },
  });
  const send = async (path: string, body: object, token = '') => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, string>;
  };
  const logged = (msg: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes(`"${msg}"`))
      .map((line) => JSON.parse(line) as Line);
  try {
    const { email } = await createAdmin({ databaseUrl: database.url });
    const { accessToken } = await send('/auth/login', { email, password: ADMIN_PASSWORD });
    const { id } = await send('/events', { name: 'Gala', slug: 'gala', goalAmount: 1 }, accessToken);
    const intent = await send('/donations/intent', {
      amount: 500,
      currency: 'eur',
      metadata: { eventId: id },
    });
    const paymentId = String(intent['clientSecret']).replace(/_secret_.*$/, '');
    sandbox.stripe.pay(paymentId);
    await until(() => logged('Webhook event booked').length > 0, 'a booked webhook event');
    const [booked] = logged('Webhook event booked');
    expect(booked).toMatchObject({ donationIds: [intent['donationId']], paymentIds: [paymentId] });
    await sandbox.stripe.deliveries.deliver(String(booked?.webhookEventId), 1);
    await until(() => logged('Webhook event repeated').length > 0, 'a repeated webhook event');
    expect(logged('Webhook event repeated')[0]).toMatchObject({
      webhookEventId: booked?.webhookEventId,
      donationIds: [intent['donationId']],
      paymentIds: [paymentId],
    });
  } finally {
    await server.stop();
    await sandbox.close();
    await database.drop();
  }
});
