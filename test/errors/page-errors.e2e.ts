import { afterEach, describe, expect, it } from '@jest/globals';
import { NO_LIMITS, startApp, type TestApp } from '../support/app.js';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { createTestDatabase } from '../support/database.js';
import { adminToken, createEvent } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';

/** What a browser sends when somebody opens a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const PAGES = [
  '/',
  '/donate/some-gala',
  '/donate/some-gala/thanks?donation=token',
  '/wall/some-gala',
  '/donations/wallet/return?token=ORDER1',
  '/donations/wallet/cancelled',
];

const database = withOpened(() => createTestDatabase());
const proxy = withOpened(() => startCuttableProxy(database.url));
let app: TestApp;

afterEach(async () => {
  await proxy.mend();
  await app.close();
});

const start = async (perMinute = NO_LIMITS.perMinute) => {
  app = await startApp({}, { limits: { ...NO_LIMITS, perMinute } }, proxy.url);
};
const open = (path: string, language = 'en') =>
  app.http.get(path).set('Accept', BROWSER).set('Accept-Language', language);

describe('what people open, beyond the limit', () => {
  it('is a page that opens again by itself, in their language; a client gets the body of all errors', async () => {
    await start(1);
    await app.http.get('/events/public').expect(200);
    for (const path of PAGES) {
      const { headers, text } = await open(path, 'de-CH').expect(429);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toContain('<html lang="de"');
      expect(text).toContain('So viele auf einmal');
      const wait = Number(headers['retry-after']);
      const refresh = Number(headers.refresh);
      expect(refresh).toBeGreaterThanOrEqual(wait);
      expect(refresh).toBeLessThan(wait + 10);
      expect(text).toContain(`in ${refresh} Sekunden`);
      const answer = await app.http.get(path).expect(429);
      expect(answer.body).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED' });
      expect(answer.headers.refresh).toBeUndefined();
    }
  });

  it('shows nothing where a wall lies on another picture, and brings it back by itself', async () => {
    await start(1);
    await app.http.get('/events/public').expect(200);
    const { headers, text } = await open('/wall/some-gala?mode=overlay').expect(429);
    expect(Number(headers.refresh)).toBeGreaterThan(0);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(text).toBe('<!doctype html><title>429</title>');
  });

  it('says to who sent a form that nothing was charged, and sends it not again by itself', async () => {
    await start(1);
    await app.http.get('/events/public').expect(200);
    const { headers, text } = await app.http
      .post('/donate/some-gala')
      .set('Accept', BROWSER)
      .type('form')
      .send({ amount: '50' })
      .expect(429);
    expect(headers.refresh).toBeUndefined();
    expect(text).toContain('Nothing was charged');
  });

  it('is the one body for routes that are no page, whatever they are asked by', async () => {
    await start(1);
    await open('/events/public').expect(200);
    expect((await open('/events/public').expect(429)).body).toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('what people open, while the database is away', () => {
  it('is a page that tries again by itself', async () => {
    await start();
    const event = await createEvent(app, await adminToken(app));
    await proxy.cut();
    const path = `/donate/${event.slug}/thanks?donation=${'x'.repeat(43)}`;
    const { headers, text } = await open(path).expect(503);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(Number(headers.refresh)).toBeGreaterThan(0);
    expect(text).toContain('Back in a moment');
    expect((await app.http.get(path).expect(503)).body).toMatchObject({ statusCode: 503 });
    await proxy.mend();
    await open(path).expect(404);
  });
});
