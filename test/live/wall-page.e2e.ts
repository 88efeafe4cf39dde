import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';
import { withService } from '../support/setup.js';
import { oldBrowserCheck } from '../../src/pages/old-browser.js';

describe('GET /wall/:slug', () => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://charity.example' }));
  const book = new DonationBook(app);

  it('the wall page has a strict policy and is found by slug and by id', async () => {
    const event = await book.event({ name: 'Tom & "Jerry" <3' });
    for (const ref of [event.slug, event.id]) {
      const { headers, text } = await app.http
        .get(`/wall/${ref}`)
        .expect(200)
        .expect('content-type', /text\/html/);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self' 'sha256-");
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
      expect(headers['cache-control']).toBe('no-store');
      const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? '';
      const digest = createHash('sha256').update(style).digest('base64');
      expect(headers['content-security-policy']).toContain(`style-src 'self' 'sha256-${digest}';`);
      expect(text).toContain('Tom &amp; &quot;Jerry&quot; &lt;3');
      expect(text).toContain(`charity.example/donate/${event.slug}`);
      const ours = String(oldBrowserCheck('wall')?.script);
      expect(text.replace(ours, '')).not.toMatch(/<script(?![^>]* src=)|\son\w+=|\{\{/);
    }
  });

  it('a draft, archived or unknown event answers 404 with the standard error body', async () => {
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
    ['script', /src="(\/assets\/wall[^"]+\.js)"/, /javascript/],
    ['stylesheet', /href="(\/assets\/wall[^"]+\.css)"/, /text\/css/],
    ['icon', /href="(\/assets\/icon[^"]+\.svg)"/, /image\/svg/],
  ])(
    'the %s of the wall page has a name that changes with its content, for the browser cache',
    async (_, link, type) => {
      const { text } = await app.http.get(`/wall/${(await book.event()).slug}`).expect(200);
      const { headers } = await app.http
        .get(link.exec(text)?.[1] ?? '')
        .expect(200)
        .expect('content-type', type);
      expect(headers['cache-control']).toContain('immutable');
    },
  );

  it('the wall page of an archived event says that it has ended and shows nothing of the event', async () => {
    const archived = await book.event({ status: 'archived', name: 'The secret gala' });
    await book.give(archived.id, { name: 'Ada Lovelace' });
    const browse = (ref: string) =>
      app.http
        .get(`/wall/${ref}`)
        .set('Accept', 'text/html,application/xhtml+xml,*/*;q=0.8')
        .expect(404)
        .expect('content-type', /text\/html/);
    const { text } = await browse(archived.slug);
    expect(text).toContain('This event has ended.');
    expect(text).not.toMatch(/secret gala|Ada Lovelace|data-model/);
    const draft = await browse((await book.event({ status: 'draft', name: 'The secret gala' })).slug);
    expect(draft.text).toContain('Wall not found');
    expect(draft.text).not.toContain('secret gala');
    expect(draft.headers.refresh).toBe('30');
  });

  it('script and stylesheet of the wall page have at most 30 KB compressed', async () => {
    const { text } = await app.http.get(`/wall/${(await book.event()).slug}`).expect(200);
    const files = [...text.matchAll(/"(\/assets\/wall[^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toHaveLength(2);
    const sizes = await Promise.all(
      files.map(async (file) =>
        Number(
          (await app.http.get(file).set('Accept-Encoding', 'gzip').expect(200)).headers['content-length'],
        ),
      ),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
  });

  it('the wall page loads only its own files', async () => {
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
