import { describe, expect, it } from '@jest/globals';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp, each: true });
const book = new DonationBook(app);

const page = async (query = '') => (await app.http.get(`/donate/${event.slug}${query}`).expect(200)).text;
/** The list of the page as text, without markup. */
const latest = async (query = '') =>
  (/<section class="latest"[^]*?<\/section>/.exec(await page(query))?.[0] ?? '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const untilLatest = (test: (text: string) => boolean) => until(async () => test(await latest()));
const settings = (body: object) => admin.patch(`/events/${event.id}/settings`, body).expect(200);
const give = async (fields: object): Promise<string> => {
  const { body } = await admin
    .post('/donations', { eventId: event.id, amount: 2500, type: 'cash', ...fields })
    .expect(201);
  return (body as { id: string }).id;
};

describe('the latest donations on the donate page', () => {
  it('the page without a script shows name, amount, message and time, the newest first', async () => {
    await give({ amount: 1_250, donorName: 'Ada Lovelace', message: 'For <b>the</b> roof' });
    await give({ amount: 5_000 });
    await untilLatest((text) => text.includes('€12.50'));
    expect(await latest()).toBe(
      'Latest donations Anonymous €50.00 now Ada Lovelace €12.50 For &lt;b&gt;the&lt;/b&gt; roof now',
    );
  });

  it('the list has no more than five donations, and none before the first one', async () => {
    expect(await page()).toContain('Be the first to donate.');
    expect(await latest()).toBe('');
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five', 'Six']) await book.give(event.id, { name });
    await untilLatest((text) => text.includes('Six'));
    expect((await latest()).match(/Two|Three|Four|Five|Six|One/g)).toEqual([
      'Six',
      'Five',
      'Four',
      'Three',
      'Two',
    ]);
  });

  it('the list follows the setting of the event', async () => {
    await book.give(event.id, { name: 'Ada' });
    await untilLatest((text) => text.includes('Ada'));
    await settings({ donation: { showLatest: false } });
    expect(await latest()).toBe('');
    await settings({ donation: { showLatest: true } });
    await untilLatest((text) => text.includes('Ada'));
  });

  it('the words of the list are in the language of the page', async () => {
    await settings({ locales: { default: 'en', supported: ['en', 'de'] } });
    await give({});
    await until(async () => (await latest('?lang=de')).includes('Anonym'));
    expect(await latest('?lang=de')).toBe('Neueste Spenden Anonym 25 € jetzt');
  });

  it('a hidden name or message never appears: anonymous donors, texts that await approval, and texts hidden later', async () => {
    await give({ donorName: 'Anonymous Donor', isAnonymous: true, message: 'From a friend' });
    await settings({ live: { moderate: 'all' } });
    const held = await give({ donorName: 'Held Name', message: 'Held words' });
    await untilLatest((text) => (text.match(/€25/g)?.length ?? 0) === 2);
    expect(await page()).not.toMatch(/Anonymous Donor|Held/);
    expect(await latest()).toContain('From a friend');
    await admin.post(`/donations/${held}/moderation`, { message: 'visible', name: 'visible' }).expect(200);
    expect(await latest()).toMatch(/Held Name .* Held words/);
    await admin.post(`/donations/${held}/moderation`, { message: 'hidden', name: 'hidden' }).expect(200);
    const after = await page();
    expect(after).not.toMatch(/Held/);
    expect(await latest()).toMatch(/Anonymous €25 now Anonymous €25/);
  });

  it('a refunded donation disappears at once', async () => {
    await give({ donorName: 'Stays', amount: 1_000 });
    const undone = await give({ donorName: 'Was refunded', amount: 7_000, message: 'Take it back' });
    await untilLatest((text) => text.includes('Was refunded'));
    await admin
      .post(`/donations/${undone}/cancel`, { shouldRefund: true, reason: 'Wrong table' })
      .expect(200);
    expect(await latest()).toMatch(/^Latest donations Stays €10 \w+$/);
  });

  it('the donation of an erased donor stays without the name and the message', async () => {
    await give({ donorName: 'Erased Donor', donorEmail: 'erased@example.org', message: 'My words' });
    await untilLatest((text) => text.includes('Erased Donor'));
    const { body } = await admin.get('/donors?search=erased@example.org').expect(200);
    const [person] = (body as { data: { key: string }[] }).data;
    await admin.delete(`/donors/${person?.key ?? ''}`).expect(200);
    expect(await latest()).toMatch(/^Latest donations Anonymous €25 \w+$/);
  });

  it('a donation that the paused wall does not show yet is missing on the page too', async () => {
    await give({ donorName: 'Before' });
    await untilLatest((text) => text.includes('Before'));
    await settings({ live: { wall: { paused: true } } });
    await give({ donorName: 'During the pause' });
    await untilLatest((text) => text.includes('Before'));
    expect(await page()).not.toContain('During the pause');
    await settings({ live: { wall: { paused: false } } });
    await untilLatest((text) => text.includes('During the pause'));
  });
});

describeWithChromium('the latest donations in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));

  it.each([
    ['phone', 'light'],
    ['phone', 'dark'],
    ['hd', 'light'],
    ['hd', 'dark'],
  ] as const)(
    'long and right-to-left texts stay in their row on a %s screen in %s',
    async (screen, colorScheme) => {
      await settings({
        organization: 'Harbour Lights Foundation',
        locales: { default: 'en', supported: ['en', 'de'] },
      });
      await book.give(event.id, { amount: 2_500, name: 'Ada Lovelace' });
      await book.give(event.id, { amount: 123_456_700, name: 'Müller-Lüdenscheidt '.repeat(9).trim() });
      await book.give(event.id, { amount: 5_000, name: 'مريم الأسطرلابي', message: 'تحية من حلب!' });
      await book.give(event.id, { amount: 10_000, name: null, message: 'W'.repeat(250) });
      await book.give(event.id, {
        amount: 1_000,
        name: '👨‍👩‍👧‍👦'.repeat(20),
        message: 'All four of us wish you a dry winter.',
      });
      await untilLatest((text) => text.includes('👨‍👩‍👧‍👦'));
      const shifts: number[] = [];
      for (const lang of ['en', 'de']) {
        const { page: tab, problems } = await openPage(browser, {
          viewport: SCREENS[screen],
          colorScheme,
          initScript: `globalThis.shifts = 0; new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifts += value;
        }).observe({ type: 'layout-shift', buffered: true })`,
        });
        // A server whose database is busy leaves the list out, because donors should not wait for it.
        await until(async () => {
          await tab.goto(`${app.url}/donate/${event.slug}?lang=${lang}`);
          return (await tab.locator('.latest').count()) === 1;
        });
        await tab.locator('#card input').first().waitFor();
        await tab.evaluate('document.fonts.ready');
        expect(await tab.locator('.latest__row').count()).toBe(5);
        for (const row of await tab.locator('.latest__row').all())
          expect((await row.boundingBox())?.height).toBeLessThanOrEqual(140);
        expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        const { height = 0 } = (await tab.locator('#give').boundingBox()) ?? {};
        if (screen === 'phone') expect(height).toBeLessThanOrEqual(1_100);
        shifts.push(await tab.evaluate<number>('globalThis.shifts'));
        await takePicture(tab, `donate-latest-${screen}-${colorScheme}-${lang}`);
        expect(await accessibilityProblems(tab)).toEqual([]);
        expect(problems).toEqual([]);
        await tab.context().close();
      }
    },
  );
});
