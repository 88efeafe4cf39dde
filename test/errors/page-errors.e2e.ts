import { afterEach, describe, expect, it } from '@jest/globals';
import { NO_LIMITS, startApp, type TestApp } from '../support/app.js';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { createTestDatabase } from '../support/database.js';
import { adminToken, createEvent } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';

/** The Accept header that a browser sends when it opens a page. */
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

describe('pages beyond the rate limit', () => {
  it('a page beyond the limit reloads itself, in the language of the visitor; API clients get the standard error body', async () => {
    await start(1);
    await app.http.get('/events/public').expect(200);
    for (const path of PAGES) {
      const { headers, text } = await open(path, 'de-CH').expect(429);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toContain('<html lang="de"');
      expect(text).toContain('Gerade spenden sehr viele Menschen');
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

  it('an overlay wall beyond the limit is empty and reloads itself', async () => {
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

  it('a form beyond the limit says that nothing was charged, and does not send itself again', async () => {
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

  it('routes that are not pages return the standard error body to every client', async () => {
    await start(1);
    await open('/events/public').expect(200);
    expect((await open('/events/public').expect(429)).body).toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('addresses that do not exist', () => {
  const unknown = ['/no-such-page', '/donate', '/wall/', '/events/x/y/z/unknown', '/accessibility/old'];

  it('an unknown address shows a page with the branding in a browser, in the language of the visitor', async () => {
    await start();
    const admin = await adminToken(app);
    await app.http
      .patch('/settings/global')
      .set('Authorization', `Bearer ${admin}`)
      .send({ organization: 'Kind & Co' })
      .expect(200);
    for (const path of unknown) {
      const { headers, text } = await open(path, 'fr-BE,fr;q=0.9').expect(404);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      });
      expect(headers.refresh).toBeUndefined();
      expect(text).toContain('<html lang="fr"');
      expect(text).toMatch(/<h1[^>]*>Page introuvable</);
      expect(text).toContain('Kind &amp; Co');
      expect(text).toContain('href="/"');
      expect(headers['content-security-policy']).not.toMatch(/unsafe/);
      const answer = await app.http.get(path).expect(404);
      expect(answer.body).toEqual({
        statusCode: 404,
        message: 'No route has this path',
        error: 'Not Found',
        code: 'ROUTE_NOT_FOUND',
      });
    }
  });

  it.each(['en', 'de', 'es', 'fr', 'it', 'nl'])(
    'the page for an unknown address has texts in %s',
    async (language) => {
      await start();
      const { text } = await open('/no-such-page', language).expect(404);
      expect(text).toContain(`<html lang="${language}"`);
    },
  );

  it('the page for an unknown address repeats nothing of the address', async () => {
    await start();
    const { text } = await open(
      '/%3Cscript%3Ealert(1)%3C/script%3E?q=%22%3E%3Cimg%20src=x%3E&lang=%3Cb%3E',
    ).expect(404);
    expect(text).not.toMatch(/alert|src=x|<b>/);
  });

  it('other methods on an unknown address get the standard error body, also from clients that accept HTML', async () => {
    await start();
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      const { body } = await app.http[method]('/no-such-page').set('Accept', BROWSER).send({}).expect(404);
      expect(body).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
    }
  });

  it('an address of the API that a browser opens as a page shows a page instead of JSON; its scripts still get JSON', async () => {
    await start();
    for (const [path, status, title] of [
      ['/donations', 401, 'This page cannot be opened'],
      ['/images/none.webp', 404, 'Page not found'],
      ['/%ff', 400, 'This page cannot be opened'],
    ] as const) {
      const { text } = await open(path).set('Sec-Fetch-Dest', 'document').expect(status);
      expect(text).toContain(`>${title}</h1>`);
      expect(text).not.toMatch(/statusCode|[A-Z]{3,}_[A-Z]/);
      const { body } = await open(path).set('Sec-Fetch-Dest', 'empty').expect(status);
      expect(body).toMatchObject({ statusCode: status });
    }
  });
});

describe('pages while the database is unreachable', () => {
  it('a page without a database reloads itself', async () => {
    await start();
    const event = await createEvent(app, await adminToken(app));
    await proxy.cut();
    const path = `/donate/${event.slug}/thanks?donation=${'x'.repeat(43)}`;
    const { headers, text } = await open(path).expect(503);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(Number(headers.refresh)).toBeGreaterThan(0);
    expect(text).toContain('We will be back soon');
    expect((await app.http.get(path).expect(503)).body).toMatchObject({ statusCode: 503 });
    const unknown = await open('/no-such-page').expect(404);
    expect(unknown.text).toContain('Page not found');
    await proxy.mend();
    await open(path).expect(404);
  });
});
