import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { errorBody } from '../support/bearer.js';
import { adminToken, createEvent } from '../support/fixtures.js';

describe('a provider answer that stops halfway', () => {
  let provider: Server;
  let app: TestApp;
  let eventId: string;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":"pi_1","object":"payment_intent","client_');
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const url = `http://127.0.0.1:${String((provider.address() as { port: number }).port)}`;
    const environment = {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_URL: url,
      PAYPAL_CLIENT_ID: 'client',
      PAYPAL_CLIENT_SECRET: 'secret',
      PAYPAL_WEBHOOK_ID: 'WEBHOOK-1',
      PAYPAL_API_URL: url,
    };
    app = await startApp(environment, { providerTimeoutMs: 700 });
    ({ id: eventId } = await createEvent(app, await adminToken(app)));
  }, 60_000);
  afterAll(async () => {
    await app.close();
    provider.closeAllConnections();
    provider.close();
  });

  it.each(['card', 'wallet'])(
    "a %s intent ends at its time limit if the provider's answer stops halfway",
    async (method) => {
      const { body, headers } = await app.http
        .post('/donations/intent')
        .send({ amount: 500, method, metadata: { eventId } })
        .timeout(8_000)
        .expect(503);
      expect(body).toEqual(errorBody(503, 'Service Unavailable', 'PROVIDER_UNAVAILABLE'));
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    },
  );
});
