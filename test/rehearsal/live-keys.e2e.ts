import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RehearsalDto } from '../../src/rehearsal/dto/rehearsal.dto.js';
import { startApp } from '../support/app.js';
import { errorBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';

/** Records every request to it, and answers each with an error. */
const requests: string[] = [];
let provider: Server;
let url = '';

const { app, admin, event } = withEvent({
  start: async () => {
    provider = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(500).end('{}');
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    return await startApp({
      STRIPE_SECRET_KEY: 'sk_live_recorded',
      STRIPE_WEBHOOK_SECRET: 'whsec_recorded',
      STRIPE_API_URL: url,
      STRIPE_PUBLISHABLE_KEY: 'pk_live_recorded',
      STRIPE_JS_URL: `${url}/stripe.js`,
    });
  },
});
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

let twin: RehearsalDto;
beforeAll(async () => {
  const started = await admin
    .post(`/events/${event.id}/rehearsal`, { withNames: false, mailTo: [] })
    .expect(201);
  twin = started.body as RehearsalDto;
});

const intent = (eventId: string) =>
  app.http.post('/donations/intent').send({ amount: 500, currency: 'eur', metadata: { eventId } });

describe('a rehearsal on a server with live keys', () => {
  it('with live keys, a rehearsal takes no payment, stores no donation, and sends no request to the provider', async () => {
    requests.length = 0;
    const refused = errorBody(409, 'Conflict', 'REHEARSAL_NEEDS_TEST_KEYS');
    for (const ref of [twin.eventId, twin.slug])
      expect((await intent(ref).expect(409)).body).toEqual(refused);
    expect(requests).toEqual([]);
    expect(await sql(app, 'SELECT 1 FROM donation WHERE event_id = $1', [twin.eventId])).toEqual([]);
  });

  it('with live keys, the rehearsal lets the real event ask the provider', async () => {
    await intent(event.id);
    expect(requests).toContain('POST /v1/payment_intents');
  });
});
