import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { errorBody } from '../support/bearer.js';
import { withEvent, withOpened } from '../support/setup.js';

describe('a provider answer that stops halfway', () => {
  const provider = withOpened(async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":"pi_1","object":"payment_intent","client_');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${String((server.address() as { port: number }).port)}`,
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  });
  const start = () => {
    const { url } = provider;
    const environment = {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_URL: url,
      PAYPAL_CLIENT_ID: 'client',
      PAYPAL_CLIENT_SECRET: 'secret',
      PAYPAL_WEBHOOK_ID: 'WEBHOOK-1',
      PAYPAL_API_URL: url,
    };
    return startApp(environment, { providerTimeoutMs: 700 });
  };
  const { app, event } = withEvent({ start });

  it.each(['card', 'wallet'])(
    "a %s intent ends at its time limit if the provider's answer stops halfway",
    async (method) => {
      const { body, headers } = await app.http
        .post('/donations/intent')
        .send({ amount: 500, method, metadata: { eventId: event.id } })
        .timeout(8_000)
        .expect(503);
      expect(body).toEqual(errorBody(503, 'Service Unavailable', 'PROVIDER_UNAVAILABLE'));
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    },
  );
});
