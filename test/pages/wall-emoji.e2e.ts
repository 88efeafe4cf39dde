import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.js';
import { launchBrowser, openPage, SCREENS } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { pixelsOf } from '../support/wall-page.js';

/** Width of each emoji of the font, in em: 2550 of 2048 units. */
const EM = 2550 / 2048;
const FAMILY = '👨‍👩‍👧‍👦';

describeWithChromium('colour emoji of the wall', (executablePath) => {
  const app = withService(() => startApp());
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));

  interface Options {
    /** The emoji arrive after this promise. */
    readonly after?: Promise<unknown>;
    /** Removes the sources that browsers before 2023 do not understand. */
    readonly old?: boolean;
  }

  /** Opens a page as on a device without emoji of its own. Collects the names of the emoji files that the page loads. */
  const open = async (path: string, { after, old = false }: Options = {}) => {
    const { page, problems } = await openPage(browser, { viewport: SCREENS.fullHd });
    const loaded: string[] = [];
    await page.route('**/kit-fonts-world-*.css', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(/local\([^)]*\),/g, '');
      const body = old ? text.replace(/src:[^;}]*tech\([^;}]*;/g, '') : text;
      await route.fulfill({ response, body });
    });
    // Not the small file without pictures, which keeps the place of an emoji.
    await page.route(/emoji-(?!space).*\.woff2$/, async (route) => {
      loaded.push(/([\w-]*emoji[a-z-]*)-\w+\.woff2$/.exec(route.request().url())?.[1] ?? '');
      await after;
      await route.continue();
    });
    await page.goto(`${app.url}${path}`);
    return { page, problems, loaded };
  };
  const openWall = async (slug: string, options?: Options) => {
    const wall = await open(`/wall/${slug}`, options);
    await wall.page.waitForSelector('html[data-state=live]');
    return wall;
  };

  /** Returns the place of a text inside an element, and the size of its font. */
  const placeOf = (page: Page, selector: string, text: string) =>
    page.evaluate<{ x: number; y: number; width: number; height: number; em: number }>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
      const range = document.createRange();
      const from = node.data.indexOf(${JSON.stringify(text)});
      range.setStart(node, from);
      range.setEnd(node, from + ${text.length});
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x, y, width, height, em: parseFloat(getComputedStyle(element).fontSize) };
    })()`);

  /** Returns the share of pixels with a clear colour, and the number of different colours among them. */
  const coloursOf = async (page: Page, clip: { x: number; y: number; width: number; height: number }) => {
    const pixels = await pixelsOf(page, await page.screenshot({ clip }), 64);
    const colours = new Set<number>();
    let clear = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
      if (Math.max(red, green, blue) - Math.min(red, green, blue) < 50) continue;
      clear += 1;
      colours.add(((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4));
    }
    return { share: clear / (pixels.length / 4), different: colours.size };
  };

  const drawn = async (page: Page) => {
    await page.waitForSelector('.donation:not(.donation--new)');
    const statuses = `[...document.fonts].filter(({ family }) => /Colour/.test(family)).map(({ status }) => status)`;
    await until(() =>
      page.evaluate<boolean>(`${statuses}.includes('loaded') && !${statuses}.includes('loading')`),
    );
    await page.evaluate(`new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))`);
  };

  it.each([
    ['a heart', '❤️', 'common'],
    ['a family', FAMILY, 'people'],
    ['a flag', '🇬🇧', 'flags'],
    ['a flag of a region', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'flags'],
    ['a joined flag', '🏳️‍🌈', 'people'],
    ['a skin tone', '👏🏽', 'hands'],
    ['a keycap', '1️⃣', 'keycaps'],
    ['an animal', '🦊', 'nature'],
    ['a thing', '🚂', 'objects'],
  ])('the wall draws %s as one sign in colour, and loads only its file', async (_, emoji, file) => {
    const event = await book.event();
    await book.give(event.id, { name: `Mia ${emoji}`, message: null });
    const { page, problems, loaded } = await openWall(event.slug);
    await drawn(page);
    const place = await placeOf(page, '.donation__name', emoji);
    expect(place.width / place.em).toBeCloseTo(EM, 1);
    const { share, different } = await coloursOf(page, place);
    expect(share).toBeGreaterThan(0.04);
    expect(different).toBeGreaterThan(4);
    expect(loaded).toEqual([`colour-emoji-${file}`]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['a person with a skin tone and a profession', '👩🏽‍🚀'],
    ['a couple with two skin tones', '👩🏽‍❤️‍💋‍👨🏿'],
    ['a handshake with two skin tones', '🫱🏻‍🫲🏿'],
    ['a burning heart', '❤️‍🔥'],
    ['a phoenix', '🐦‍🔥'],
  ])('the wall draws %s as one sign in colour', async (_, emoji) => {
    const event = await book.event();
    await book.give(event.id, { name: 'Mia', message: `Go ${emoji}` });
    const { page } = await openWall(event.slug);
    await drawn(page);
    const place = await placeOf(page, '.donation__message', emoji);
    expect(place.width / place.em).toBeCloseTo(EM, 1);
    expect((await coloursOf(page, place)).share).toBeGreaterThan(0.02);
    await page.context().close();
  });

  it('the wall loads no emoji for names and messages without emoji, and draws signs of a text as text', async () => {
    const event = await book.event({ name: 'Köln ↔ Paris 2026 #1' });
    await book.give(event.id, { name: 'Zoë & Co. ©', message: 'No. 1 * 2 → 3, ½ price™' });
    const { page, loaded } = await openWall(event.slug);
    await page.waitForSelector('.donation:not(.donation--new)');
    await page.evaluate('document.fonts.ready');
    expect(loaded.filter((name) => name.startsWith('colour-emoji'))).toEqual([]);
    await page.context().close();
  });

  it('a browser before 2023 draws a family in colour', async () => {
    const event = await book.event();
    await book.give(event.id, { name: `Mia ${FAMILY}` });
    const { page, loaded } = await openWall(event.slug, { old: true });
    await drawn(page);
    expect((await coloursOf(page, await placeOf(page, '.donation__name', FAMILY))).share).toBeGreaterThan(
      0.2,
    );
    expect(loaded).toEqual(['colour-emoji-people']);
    await page.context().close();
  });

  it('names are visible, rows keep their place, and no empty box is drawn while the emoji load', async () => {
    const event = await book.event();
    await book.give(event.id, { name: 'Ada Lovelace', message: 'Well done' });
    await book.give(event.id, { name: `Mia ${FAMILY}`, message: 'For all of you 🎉❤️ and for the lamps' });
    let release: (() => void) | undefined;
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { page } = await openWall(event.slug, { after });
    await page.waitForSelector('.donation:not(.donation--new)');
    const rows = () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('.donation, .donation__amount')].flatMap((row) => {
           const { top, height, right } = row.getBoundingClientRect();
           return [top, height, right].map(Math.round);
         })`,
      );
    const before = await rows();
    // Playwright's own pictures wait for all fonts.
    const cdp = await page.context().newCDPSession(page);
    const inkOf = async (selector: string, text: string) => {
      const clip = { ...(await placeOf(page, selector, text)), scale: 1 };
      const { data } = await cdp.send('Page.captureScreenshot', { clip });
      const light = (await pixelsOf(page, Buffer.from(data, 'base64'), 64)).filter((_, at) => at % 4 === 1);
      return Math.max(...light) - Math.min(...light);
    };
    for (const [selector, emoji] of [
      ['.donation__name', FAMILY],
      ['.donation__message', '🎉❤️'],
    ] as const)
      expect(await inkOf(selector, emoji)).toBeLessThan(8);
    expect(await inkOf('.donation__name', 'Mia')).toBeGreaterThan(100);
    expect(await inkOf('.donation__message', 'For all')).toBeGreaterThan(100);
    expect(await inkOf('.donation:nth-child(2) .donation__name', 'Ada')).toBeGreaterThan(100);
    expect(await page.evaluate(`[...document.fonts].some(({ status }) => status === 'loading')`)).toBe(true);
    release?.();
    await drawn(page);
    expect((await coloursOf(page, await placeOf(page, '.donation__name', FAMILY))).share).toBeGreaterThan(
      0.2,
    );
    expect(await rows()).toEqual(before);
    await page.context().close();
  });

  it('a long message ends between emoji, never inside a family', async () => {
    const event = await book.event();
    await book.give(event.id, { name: `${FAMILY} `.repeat(8).trim(), message: FAMILY.repeat(45) });
    const { page } = await openWall(event.slug);
    await drawn(page);
    const widths = await page.evaluate<number[]>(`(() => {
      const element = document.querySelector('.donation__message');
      const em = parseFloat(getComputedStyle(element).fontSize);
      const lines = new Map();
      const node = element.firstChild;
      for (let from = 0; from < node.data.length; from += ${FAMILY.length}) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, from + ${FAMILY.length});
        const boxes = [...range.getClientRects()].filter(({ width }) => width > 0.5);
        lines.set(from, boxes.length === 1 ? Math.round((boxes[0].width / em) * 100) / 100 : -1);
      }
      return [...new Set(lines.values())];
    })()`);
    expect(widths).toHaveLength(1);
    expect(widths[0]).toBeCloseTo(EM, 1);
    expect(await page.getAttribute('.donation', 'class')).not.toContain('donation--long');
    await page.context().close();
  });

  it('the donate page draws emoji in the name of an event, and loads none without them', async () => {
    const plain = await book.event({ name: 'Summer Gala 2026' });
    const without = await open(`/donate/${plain.slug}`);
    await without.page.evaluate('document.fonts.ready');
    expect(without.loaded).toEqual([]);
    await without.page.context().close();
    const event = await book.event({ name: `Gala ${FAMILY}` });
    const { page, loaded, problems } = await open(`/donate/${event.slug}`);
    await until(() => loaded.length > 0);
    await page.evaluate('document.fonts.ready');
    const place = await placeOf(page, 'h1', FAMILY);
    expect(place.width / place.em).toBeCloseTo(EM, 1);
    expect((await coloursOf(page, place)).share).toBeGreaterThan(0.2);
    expect(loaded).toEqual(['colour-emoji-people']);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
