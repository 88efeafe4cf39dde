import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/server/load-config.js';
import { TEST_SECRETS } from '../support/app.js';
import { adminToken, createEvent } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened, withService } from '../support/setup.js';

const PLENTY = 1_000_000;
const limits = {
  perMinute: PLENTY,
  authPerMinute: PLENTY,
  trustedFactor: 50,
  intentsPerAddress: 2,
  intentsPerEvent: PLENTY,
  intentsPerEmail: PLENTY,
};

describe('a used-up payment budget with a challenge service', () => {
  let asked: URLSearchParams[] = [];
  let answer = 'as the token says';

  const service = withOpened(async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const form = new URLSearchParams(body);
        asked.push(form);
        if (answer === 'broken') response.writeHead(500).end('no');
        else response.end(JSON.stringify({ success: form.get('response') === 'a person' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  });
  const startWithChallenges = () => {
    const { port } = service.address() as AddressInfo;
    const environment = {
      TRUST_PROXY: '1',
      CHALLENGE_VERIFY_URL: `http://127.0.0.1:${String(port)}/siteverify`,
      CHALLENGE_SECRET: 'the secret',
      CHALLENGE_SITE_KEY: '0x4AAA',
    };
    return startPaymentsApp(environment, { limits });
  };
  const { app, event } = withEvent({ start: startWithChallenges });
  beforeEach(() => {
    asked = [];
    answer = 'as the token says';
  });

  const start = (address: string, token?: string) => {
    const request = app.http.post('/donations/intent').set('X-Forwarded-For', address);
    if (token !== undefined) void request.set('Challenge-Token', token);
    return request.send({ amount: 500, metadata: { eventId: event.id } });
  };

  it('a used-up payment budget asks for a challenge and accepts a payment after a solved one', async () => {
    for (let payment = 0; payment < 2; payment++) await start('41.0.0.1').expect(201);
    expect(asked).toEqual([]);
    const refused = await start('41.0.0.1').expect(429);
    expect(refused.body).toMatchObject({ statusCode: 429, code: 'CHALLENGE_REQUIRED' });
    expect(refused.headers['challenge-site-key']).toBe('0x4AAA');
    await start('41.0.0.1', 'a program').expect(429);
    await start('41.0.0.1', 'a person').expect(201);
    expect(asked.map((form) => Object.fromEntries(form))).toEqual([
      { secret: 'the secret', response: 'a program', remoteip: '41.0.0.1' },
      { secret: 'the secret', response: 'a person', remoteip: '41.0.0.1' },
    ]);
  });

  it('a payment is refused while the challenge cannot be checked, and solved challenges have a limit too', async () => {
    for (let payment = 0; payment < 2; payment++) await start('41.0.0.2').expect(201);
    answer = 'broken';
    await start('41.0.0.2', 'a person').expect(429);
    answer = 'as the token says';
    const statuses: number[] = [];
    for (let solved = 0; solved < 15; solved++) statuses.push((await start('41.0.0.2', 'a person')).status);
    // The limit is ten payments. The challenge that the service could not check does not use up one of them.
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(asked.length).toBeLessThanOrEqual(11);
  });
});

describe('a used-up payment budget without a challenge service', () => {
  const app = withService(() => startPaymentsApp({ TRUST_PROXY: '1' }, { limits }));

  it('a used-up payment budget answers a plain 429 to any challenge token', async () => {
    const { id: eventId } = await createEvent(app, await adminToken(app));
    const start = () =>
      app.http
        .post('/donations/intent')
        .set('X-Forwarded-For', '41.0.0.3')
        .set('Challenge-Token', 'a person')
        .send({ amount: 500, metadata: { eventId } });
    for (let payment = 0; payment < 2; payment++) await start().expect(201);
    const { body, headers } = await start().expect(429);
    expect(body).toMatchObject({ code: 'TOO_MANY_INTENTS' });
    expect(headers['challenge-site-key']).toBeUndefined();
  });

  it('the challenge variables must be set together, and the address must be https in production', () => {
    const base = { DATABASE_URL: 'postgresql://x@127.0.0.1/x', ...TEST_SECRETS };
    expect(() => loadConfig({ ...base, CHALLENGE_SECRET: 's' })).toThrow(/CHALLENGE_VERIFY_URL/);
    const all = {
      CHALLENGE_SECRET: 's',
      CHALLENGE_SITE_KEY: 'k',
      CHALLENGE_VERIFY_URL: 'http://c.example/v',
    };
    expect(() => loadConfig({ ...base, ...all, NODE_ENV: 'production' })).toThrow(
      /CHALLENGE_VERIFY_URL must be/,
    );
  });
});
