import { describe, expect, it } from '@jest/globals';
import { as } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { adminToken } from '../support/fixtures.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const app = withService();
const book = new DonationBook(app);

describe('GET /', () => {
  it('the start page lists active events with their totals, escaped, and hides other events', async () => {
    const open = await book.event({ name: 'Tom & "Jerry" <3', goal_amount: 10_000 });
    const draft = await book.event({ name: 'Secret gala', status: 'draft' });
    await book.give(open.id, { amount: 2500 });
    const { text, headers } = await app.http.get('/').expect(200);
    expect(text).toContain('Tom &amp; &quot;Jerry&quot; &lt;3');
    expect(text).toContain(`href="/donate/${open.slug}"`);
    expect(text).toMatch(/€25\.00/);
    expect(text).not.toContain(draft.slug);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
  });

  it('the start page uses the requested language if the charity supports it', async () => {
    await as(app, await adminToken(app))
      .patch('/settings/global', { locales: { default: 'en', supported: ['en', 'de'] } })
      .expect(200);
    const german = await app.http.get('/').set('Accept-Language', 'de-AT,de;q=0.9,en;q=0.5').expect(200);
    expect(german.text).toContain('<html lang="de"');
    expect(german.text).toContain('Spendenveranstaltungen');
    const dutch = await app.http.get('/').set('Accept-Language', 'nl').expect(200);
    expect(dutch.text).toContain('<html lang="en"');
  });

  it('the files of the start page are immutable, compressed once, and not rate limited', async () => {
    const { text } = await app.http.get('/').expect(200);
    const sheet = /href="(\/assets\/start[^"]+\.css)"/.exec(text)?.[1] ?? '';
    const { headers } = await app.http.get(sheet).set('Accept-Encoding', 'br').expect(200);
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/css; charset=utf-8',
    });
    expect(headers).not.toHaveProperty('ratelimit-limit');
    for (const path of ['/assets/no-such.js', '/assets/..%2fmanifest.json', '/assets/manifest.json'])
      await app.http.get(path).expect(404);
  });
});

describeWithChromium('the start page in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));

  it.each([
    ['phone', 'light'],
    ['phone', 'dark'],
    ['hd', 'light'],
    ['hd', 'dark'],
  ] as const)(
    'the start page is accessible and breaks no policy on a %s screen in %s',
    async (screen, colorScheme) => {
      const { page, problems } = await openPage(browser, { viewport: SCREENS[screen], colorScheme });
      await page.goto(app.url);
      await page.evaluate('document.fonts.ready');
      await takePicture(page, `start-${screen}-${colorScheme}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.context().close();
    },
  );
});
