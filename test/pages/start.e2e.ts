import { describe, expect, it } from '@jest/globals';
import { LAST_CHECK } from '../../src/pages/accessibility/checks.js';
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

describe('GET /me', () => {
  it('the own page of donors does not exist on a server without e-mail', async () => {
    for (const path of ['/me', `/me/sign-in/${'A'.repeat(43)}`, '/me/statements/2026'])
      expect((await app.http.get(path).expect(404)).body).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
    await app.http.post('/me').type('form').send({ email: 'ada@example.org' }).expect(404);
  });
});

describe('GET /accessibility', () => {
  it.each(['en', 'de', 'es', 'fr', 'it', 'nl'])(
    'the accessibility statement is in the language of the visitor: %s',
    async (language) => {
      const { text, headers } = await app.http
        .get('/accessibility')
        .set('Accept-Language', language)
        .expect(200);
      expect(text).toContain(`<html lang="${language}"`);
      for (const fact of ['WCAG 2.2 AA', 'EN 301 549', '2019/882', LAST_CHECK.version, 'axe-core'])
        expect(text).toContain(fact);
      expect(text).not.toMatch(/\{\w+\}|undefined/);
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
    },
  );

  it('the accessibility statement has the contact of the settings, or says how else to reach the organization', async () => {
    const admin = as(app, await adminToken(app));
    await admin.patch('/settings/global', { contact: null, legal: { address: null } }).expect(200);
    const without = (await app.http.get('/accessibility?lang=en').expect(200)).text;
    expect(without).toContain('Please speak to the team of');
    expect(without).not.toMatch(/mailto:|tel:/);
    await admin
      .patch('/settings/global', {
        contact: { email: 'help@example.org', phone: '+49 (0)30 12-34' },
        legal: { legalName: 'Example <Trust>', address: 'Main Street 1\n12345 Town' },
      })
      .expect(200);
    const { text } = await app.http.get('/accessibility?lang=en').expect(200);
    expect(text).toContain('<a href="mailto:help@example.org">help@example.org</a>');
    expect(text).toContain('<a href="tel:+49301234">');
    expect(text).toContain('Example &lt;Trust&gt;, Main Street 1, 12345 Town');
    for (const contact of [
      { email: 'no address' },
      { phone: 'call me' },
      { phone: '12' },
      { email: 5 },
      { fax: '1' },
    ])
      await admin.patch('/settings/global', { contact }).expect(400);
    await admin.patch('/settings/global', { contact: null, legal: null }).expect(200);
  });

  it('the start page and the donate page link to the accessibility statement in their language', async () => {
    const event = await book.event();
    for (const path of ['/', `/donate/${event.slug}`]) {
      const { text } = await app.http.get(`${path}?lang=en`).set('Accept', 'text/html').expect(200);
      expect(text).toContain('<a href="/accessibility?lang=en">Accessibility</a>');
    }
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

  it.each([
    ['phone', 'light', 'en'],
    ['phone', 'dark', 'de'],
    ['hd', 'light', 'de'],
    ['hd', 'dark', 'en'],
  ] as const)(
    'the accessibility statement is accessible and fits a %s screen in %s (%s)',
    async (screen, colorScheme, lang) => {
      const { page, problems } = await openPage(browser, { viewport: SCREENS[screen], colorScheme });
      await page.goto(`${app.url}/accessibility?lang=${lang}`);
      await page.evaluate('document.fonts.ready');
      await takePicture(page, `accessibility-${screen}-${colorScheme}-${lang}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.context().close();
    },
  );

  it.each([
    ['phone', 'light', 'en'],
    ['phone', 'dark', 'de'],
    ['hd', 'light', 'de'],
    ['hd', 'dark', 'en'],
  ] as const)(
    'the page for an unknown address is accessible and fits a %s screen in %s (%s)',
    async (screen, colorScheme, locale) => {
      const { page } = await openPage(browser, { viewport: SCREENS[screen], colorScheme, locale });
      const answer = await page.goto(`${app.url}/no-such-page`);
      expect(answer?.status()).toBe(404);
      await page.evaluate('document.fonts.ready');
      await takePicture(page, `unknown-${screen}-${colorScheme}-${locale}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.locator('h1').count()).toBe(1);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.locator('a.button').click();
      await page.waitForURL(`${app.url}/`);
      await page.context().close();
    },
  );
});
