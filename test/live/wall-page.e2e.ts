import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';

describe('GET /wall/:slug', () => {
  let app: TestApp;
  let book: DonationBook;

  beforeAll(async () => {
    app = await startApp({ PUBLIC_URL: 'https://charity.example' });
    book = new DonationBook(app);
  });
  afterAll(async () => {
    await book.close();
    await app.close();
  });

  it('is a page with a strict policy, found by slug and by id', async () => {
    const event = await book.event({ name: 'Tom & "Jerry" <3' });
    for (const ref of [event.slug, event.id]) {
      const { headers, text } = await app.http
        .get(`/wall/${ref}`)
        .expect(200)
        .expect('content-type', /text\/html/);
      const nonce = /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1] ?? '';
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toContain(`<style nonce="${nonce}">`);
      expect(text).toContain('Tom &amp; &quot;Jerry&quot; &lt;3');
      expect(text).toContain(`charity.example/donate/${event.slug}`);
      expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=|\{\{/);
    }
    const nonces = await Promise.all(
      [1, 2].map(async () => (await app.http.get(`/wall/${event.slug}`)).text),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('is 404 for drafts, archived and unknown events, in the one shape of errors', async () => {
    const refs = [
      (await book.event({ status: 'draft' })).slug,
      (await book.event({ status: 'archived' })).id,
      ...['no-such-event', '%00', '..%2f..%2fetc', 'x'.repeat(300)],
    ];
    for (const ref of refs) {
      const { body } = await app.http.get(`/wall/${ref}`).expect(404);
      expect(body).toMatchObject({ statusCode: 404, message: expect.any(String), error: 'Not Found' });
    }
  });

  it.each([
    ['wall.js', /javascript/],
    ['wall.css', /text\/css/],
    ['icon.svg', /image\/svg/],
  ])('serves %s and answers 304 when the browser has it', async (file, type) => {
    const { headers } = await app.http.get(`/wall/assets/${file}`).expect(200).expect('content-type', type);
    await app.http
      .get(`/wall/assets/${file}`)
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
  });

  it('serves nothing but its own files', async () => {
    for (const file of [
      '..%2fwall.service.js',
      '..%2f..%2f..%2fpackage.json',
      'nothing.js',
      '%2fetc%2fpasswd',
      'constructor',
    ])
      await app.http.get(`/wall/assets/${file}`).expect(404);
    await app.http.get('/socket.io/socket.io.esm.min.js').expect(200);
  });
});
