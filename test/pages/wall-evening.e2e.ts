import { expect, it } from '@jest/globals';
import { launchBrowser } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { boxesOf, openWall, overlaps, pixelsOf } from '../support/wall-page.js';

describeWithChromium('the wall during an evening', (executablePath) => {
  const app = withService();
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));

  it('the wall shows each donation long enough to read, and the number of waiting donations', async () => {
    const event = await book.event();
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await page.evaluate(`{
      globalThis.shownAt = new Map();
      globalThis.spans = [];
      new MutationObserver(() => {
        const now = performance.now();
        const shown = [...document.querySelectorAll('.donation:not([hidden])')].map(({ dataset }) => dataset.id);
        for (const [id, since] of shownAt)
          if (!shown.includes(id) && since !== null) {
            spans.push(now - since);
            shownAt.set(id, null);
          }
        for (const id of shown) if (!shownAt.get(id)) shownAt.set(id, now);
      }).observe(document.getElementById('feed'), { childList: true, attributes: true, subtree: true });
    }`);
    for (let index = 0; index < 100; index += 1) {
      void book.give(event.id, { name: `Donor ${index}`, amount: 1_000 });
      await page.waitForTimeout(50);
    }
    await page.waitForSelector('#more:not([hidden])');
    expect(await page.textContent('#more')).toMatch(/^\+\d+ more$/);
    await until(`document.getElementById('more').hidden`, 60_000);
    const times = await page.evaluate<{ all: number; shortest: number }>(
      '({ all: shownAt.size, shortest: Math.min(...spans) })',
    );
    expect(times.all).toBe(100);
    expect(times.shortest).toBeGreaterThan(1_450);
    await page.context().close();
  });

  it.each([1, 5, 20, 50])(
    'the wall shows readable rows at every moment at %d donations a second, and animates no row twice',
    async (rate) => {
      const event = await book.event();
      await book.give(event.id, { name: 'Donor before' });
      const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`);
      await page.waitForSelector('text=Donor before');
      await page.waitForTimeout(600);
      await page.evaluate(`{
        const feed = document.getElementById('feed');
        const entrances = new WeakMap();
        globalThis.seen = { samples: 0, empty: 0, repeated: 0 };
        feed.addEventListener('animationstart', ({ target }) => {
          const before = entrances.get(target) ?? 0;
          entrances.set(target, before + 1);
          if (before > 0) seen.repeated += 1;
        });
        const sample = () => {
          const rows = [...feed.querySelectorAll('.donation:not([hidden])')];
          seen.samples += 1;
          if (!rows.some((row) => Number(getComputedStyle(row).opacity) > 0.9)) seen.empty += 1;
          requestAnimationFrame(sample);
        };
        requestAnimationFrame(sample);
      }`);
      const donations = Math.min(rate * 3, 100);
      const given: Promise<string>[] = [];
      for (let index = 0; index < donations; index += 1) {
        given.push(book.give(event.id, { name: `Donor ${index}`, amount: 1_000 }));
        await page.waitForTimeout(1_000 / rate);
      }
      await Promise.all(given);
      await page.waitForTimeout(2_000);
      const { samples, empty, repeated } = await page.evaluate<Record<string, number>>('seen');
      expect(samples).toBeGreaterThan(50);
      expect({ empty, repeated }).toEqual({ empty: 0, repeated: 0 });
      await page.context().close();
    },
  );

  it('the wall shows displaced donations again when no new donation arrives', async () => {
    const event = await book.event();
    for (let index = 0; index < 25; index += 1) await book.give(event.id, { name: `Donor ${index}` });
    // The clock of the page runs five times as fast, because the wall is quiet for seconds first.
    const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`, {
      initScript: `{
        const now = performance.now.bind(performance);
        performance.now = () => now() * 5;
      }`,
    });
    await page.waitForSelector('text=Donor 24');
    expect(await page.isVisible('text="Donor 10"')).toBe(false);
    await page.waitForSelector('text="Donor 10"', { timeout: 60_000 });
    await page.context().close();
  });

  it('the total never drops while donations arrive, and drops after a retraction', async () => {
    const event = await book.event();
    await book.give(event.id, { amount: 12_050 });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await until(`document.getElementById('total').textContent === '€120.50'`);
    await page.evaluate(`{
      globalThis.shown = [];
      const total = document.getElementById('total');
      new MutationObserver(() => shown.push(Number(total.textContent.replace(/[^\\d.]/g, ''))))
        .observe(total, { childList: true, characterData: true, subtree: true });
    }`);
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      ids.push(await book.give(event.id, { amount: 1_037 }));
      await page.waitForTimeout(150);
    }
    await until(`document.getElementById('total').textContent === '€244.94'`);
    const shown = await page.evaluate<number[]>('shown');
    expect(shown.length).toBeGreaterThan(12);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    await book.query('UPDATE event_total SET total_raised = total_raised - 1037 WHERE event_id = $1', [
      event.id,
    ]);
    await book.change(ids[0] ?? '', 'donation.retracted', { status: 'CANCELLED' });
    await until(`document.getElementById('total').textContent === '€234.57'`);
    await page.context().close();
  });

  it('the wall celebrates the goal after many large donations', async () => {
    const event = await book.event({
      goal_amount: 60_000,
      overrides: { live: { celebrateFrom: 5_000 } },
    });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await book.give(event.id, { amount: 1_000 });
    await until(`document.getElementById('total').textContent === '€10'`);
    await Promise.all(Array.from({ length: 6 }, () => book.give(event.id, { amount: 10_000 })));
    await page.waitForSelector('#celebration:visible >> text=We reached our goal!', { timeout: 20_000 });
    const [celebration, ...others] = await boxesOf(page, [
      '#celebration',
      '#total',
      '.qr',
      '.give__address',
      '.goal',
    ]);
    expect(others).toHaveLength(4);
    expect(others.filter((box) => celebration && overlaps(celebration, box))).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['paused', 'A short break'],
    ['closed', 'Thank you!'],
  ])('a %s event has its own scene without a code to scan', async (status, title) => {
    const event = await book.event({ status });
    await book.give(event.id, { name: 'Ada Lovelace' });
    const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await page.waitForSelector('text=Ada Lovelace');
    expect(await page.textContent('#state-title:visible')).toBe(title);
    expect(await page.isVisible('.qr')).toBe(false);
    expect(await page.isVisible('text=Scan to donate')).toBe(false);
    await page.keyboard.press('q');
    expect(await page.isVisible('#scene')).toBe(false);
    await page.context().close();
  });

  it('the wall follows an event that is paused, opened, closed and archived', async () => {
    const event = await book.event();
    await book.give(event.id, { name: 'Ada Lovelace' });
    // The wall asks every ten seconds; here ten times as often.
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`, {
      initScript: `{
        const { setInterval: often } = globalThis;
        globalThis.setInterval = (work, wait, ...rest) => often(work, wait >= 10_000 ? wait / 10 : wait, ...rest);
      }`,
    });
    const move = async (status: string) => {
      await book.query('UPDATE event SET status = $2 WHERE id = $1', [event.id, status]);
    };
    await move('paused');
    await page.waitForSelector('#state-title:visible', { timeout: 30_000 });
    expect(await page.isVisible('.qr')).toBe(false);
    await move('active');
    await page.waitForSelector('.qr:visible', { timeout: 30_000 });
    await move('archived');
    await page.waitForSelector('#ended:not([hidden])', { timeout: 30_000 });
    expect(await page.textContent('#ended')).toContain('This event has ended.');
    await until(`document.querySelectorAll('.donation').length === 0`);
    await page.context().close();
  });

  it('the wall is transparent for a video mixer, and shows only the requested elements', async () => {
    const event = await book.event();
    await book.give(event.id, { name: 'Ada Lovelace' });
    for (const [show, shown, hidden] of [
      ['gauge', '#total', '.donation'],
      ['feed', '.donation', '#total'],
    ] as const) {
      const { page } = await openWall(browser, `${app.url}/wall/${event.slug}?mode=overlay&show=${show}`);
      await page.waitForSelector(shown);
      expect(await page.isVisible(hidden)).toBe(false);
      expect(await page.isVisible('.qr')).toBe(false);
      expect(await page.isVisible('#fullscreen')).toBe(false);
      const picture = await page.screenshot({
        omitBackground: true,
        clip: { x: 0, y: 0, width: 40, height: 40 },
      });
      const opaque = (await pixelsOf(page, picture, 40)).some((value, index) => index % 4 === 3 && value > 0);
      expect(opaque).toBe(false);
      await page.context().close();
    }
  });
});
