import { expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startApp } from '../support/app.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { type Box, boxesOf, openWall, overlaps } from '../support/wall-page.js';

const DONORS = [
  [
    'Familie Wolkenstein-Trostburg',
    250_000,
    'Für die neue Kinderstation – danke an alle, die heute hier sind!',
  ],
  ['Ada Lovelace', 5_000, null],
  ['ليلى الأحمد', 12_500, 'بالتوفيق للجميع'],
  [null, 2_000, null],
  ['山田 花子', 30_000, '子どもたちのために。'],
  ['Zoë & Team 🎉', 7_550, 'For everyone who keeps the lights on'],
  ['Maximiliana-Josephine von und zu Hohenlohe-Schillingsfürst', 1_000_000, null],
  ['नमस्ते भारत समूह', 4_200, null],
] as const;

describeWithChromium('the look of the wall', (executablePath) => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://give.example' }));
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));

  const gala = async (theme: string, fields: Record<string, unknown> = {}, locale = 'en') => {
    const event = await book.event({
      name: 'Winter Gala for the Children’s Hospital',
      goal_amount: 2_000_000,
      ...fields,
      overrides: {
        organization: 'Friends of the Children’s Hospital',
        live: { theme, celebrateFrom: 400_000 },
        locales: { default: locale, supported: [locale] },
      },
    });
    return { ...event, address: `${app.url}/wall/${event.slug}` };
  };
  const donate = async (eventId: string) => {
    for (const [name, amount, message] of DONORS)
      await book.give(eventId, { name, amount, message, anonymous: name === null });
  };
  /** Takes a picture of the wall in its projected state: no person has moved the mouse for a while. */
  const look = async (page: Page, name: string) => {
    await page.evaluate('document.fonts.ready');
    if (!process.env.PICTURES) return;
    await page.evaluate(`document.body.classList.add('is-idle')`);
    await page.waitForTimeout(900);
    await takePicture(page, name);
    await page.evaluate(`document.body.classList.remove('is-idle')`);
    await page.waitForTimeout(400);
  };

  it.each([
    ['busy', 'dark', 'en'],
    ['busy', 'light', 'de'],
    ['busy', 'gala', 'ar'],
    ['empty', 'light', 'en'],
    ['celebration', 'gala', 'en'],
    ['goal', 'dark', 'ja'],
    ['closed', 'light', 'fr'],
    ['closed', 'gala', 'en'],
    ['paused', 'dark', 'de'],
    ['code', 'light', 'de'],
  ] as const)('the wall is accessible and breaks no policy: %s, %s, %s', async (state, theme, locale) => {
    const status = state === 'closed' || state === 'paused' ? state : 'active';
    const event = await gala(theme, { status }, locale);
    if (state !== 'empty') await donate(event.id);
    const screens = state === 'busy' ? (['phone', 'hd', 'fullHd', 'uhd'] as const) : (['fullHd'] as const);
    const { page, problems } = await openWall(browser, event.address, { viewport: SCREENS.fullHd });
    if (state !== 'empty') await page.waitForSelector('.donation');
    if (state === 'celebration')
      await book.give(event.id, { name: 'Grace Hopper', amount: 500_000, message: 'Keep going!' });
    if (state === 'goal') await book.give(event.id, { amount: 1_000_000, anonymous: true });
    if (state === 'celebration' || state === 'goal') await page.waitForSelector('#celebration:visible');
    if (state === 'code') await page.keyboard.press('q');
    for (const screen of screens) {
      await page.setViewportSize(SCREENS[screen]);
      await look(page, `wall-${state}-${theme}-${locale}-${screen}`);
      // Without mouse movement the buttons fade. Without animation, the test does not check half-faded buttons, which people do
      // not read.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const wrong = await accessibilityProblems(page);
      expect({ screen, wrong }).toEqual({ screen, wrong: [] });
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a celebration keeps a name that fits on one line, with its exclamation mark', async () => {
    const event = await gala('dark');
    const { page } = await openWall(browser, event.address, { viewport: SCREENS.fullHd });
    await book.give(event.id, { name: 'The Patel Twins', amount: 500_000 });
    await page.waitForSelector('#celebration:visible');
    const lines = await page.evaluate<number[]>(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.celebration__name'));
      return [...new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))];
    })()`);
    expect(lines).toHaveLength(1);
    expect(await page.textContent('#celebration-thanks')).toBe('Thank you, The Patel Twins!');
    expect(await page.textContent('.celebration__name')).toBe('The Patel Twins!');
    await page.context().close();
  });

  it.each([
    ['long', 'Autumn gala of the foundation for children with cancer in Schleswig-Holstein and its friends'],
    [
      'very long',
      'Autumn gala for the children’s hospital, its garden, its school and all who work there. '.repeat(2),
    ],
    ['Japanese', '東京都立小児総合医療センターの子どもたちとそのご家族を支えるための冬のチャリティー晩餐会'],
  ])('a %s name of an event is complete on every screen', async (_, name) => {
    const event = await gala('light', { name: name.trim(), goal_amount: 12_345_678_900 });
    await book.give(event.id, { amount: 987_654_321 });
    const { page } = await openWall(browser, event.address);
    const cut: string[] = [];
    for (const [width, height] of [
      [1280, 720],
      [1024, 768],
      [1080, 1920],
      [2560, 1080],
      [3440, 1440],
    ] as const) {
      await page.setViewportSize({ width, height });
      const [box, organization] = (await boxesOf(page, ['.wall__event', '.wall__organization'])) as [
        Box,
        Box,
      ];
      if (box.cut || overlaps(box, organization)) cut.push(`${width} × ${height}`);
    }
    expect(cut).toEqual([]);
    await page.context().close();
  });

  it('names and titles in Arabic are bold', async () => {
    const event = await gala('light', { name: 'حفل الشتاء لمستشفى الأطفال' }, 'ar');
    await book.give(event.id, { name: 'ليلى الأحمد', message: 'بالتوفيق للجميع' });
    const { page } = await openWall(browser, event.address);
    await page.waitForSelector('.donation');
    await page.evaluate('document.fonts.ready');
    const files = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /arabic/.test(name))`,
    );
    const names = files.map((file) => /(sansarabic[a-z-]*)-\w+\.woff2$/.exec(file)?.[1]);
    expect(names.sort()).toEqual(['sansarabic', 'sansarabic-bold']);
    await page.context().close();
  });

  it('on an upright wall the text is in the middle of the code, and a pause is one box without a gap', async () => {
    const viewport = { width: 1080, height: 1920 };
    const active = await gala('light');
    const open = await openWall(browser, active.address, { viewport });
    const [call, donors, code] = (await boxesOf(open.page, ['.give', '.donors', '.qr'])) as [Box, Box, Box];
    const middle = (call.top + donors.bottom) / 2;
    expect(Math.abs(middle - (code.top + code.bottom) / 2)).toBeLessThan(viewport.height * 0.01);
    const paused = await gala('light', { status: 'paused' });
    const { page } = await open.show(paused.address);
    const [state, count, feed] = (await boxesOf(page, ['.state', '.donors', '.wall__feed'])) as [
      Box,
      Box,
      Box,
    ];
    expect(state.left).toBeLessThan(viewport.width * 0.06);
    expect(state.bottom).toBeLessThan(count.top);
    expect(feed.top - count.bottom).toBeLessThan(viewport.height * 0.04);
    await page.context().close();
  });

  it('on an upright wall, a long address breaks after a slash', async () => {
    const { address } = await gala('dark', { slug: 'emptying-the-harbour' });
    const { page } = await openWall(browser, address, { viewport: { width: 1080, height: 1920 } });
    const lines = await page.evaluate<string[]>(`(() => {
      const lines = new Map();
      for (const node of document.querySelector('.give__address').childNodes)
        for (const [index, letter] of [...(node.data ?? '')].entries()) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + 1);
          const { top } = range.getBoundingClientRect();
          lines.set(top, (lines.get(top) ?? '') + letter);
        }
      return [...lines.values()];
    })()`);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(0, -1).every((line) => /[/-]$/.test(line))).toBe(true);
    await page.context().close();
  });

  it('the buttons of the wall never cover the name of the organization', async () => {
    const { address } = await gala('dark');
    for (const viewport of [SCREENS.hd, { width: 1080, height: 1920 }, { width: 3440, height: 1440 }]) {
      const { page } = await openWall(browser, address, { viewport });
      await page.mouse.move(100, 100);
      const boxes = await boxesOf(page, ['.wall__organization', '.controls']);
      const [name, buttons] = boxes as [Box, Box];
      expect(overlaps(name, buttons)).toBe(false);
      await page.context().close();
    }
  });

  it('the wall is calm and accessible when an event has ended', async () => {
    const event = await gala('dark', { status: 'archived' });
    const options: BrowserContextOptions = { viewport: SCREENS.fullHd };
    const { page } = await openPage(browser, options);
    expect((await page.goto(event.address))?.status()).toBe(404);
    expect(await page.textContent('h1')).toBe('Thank you');
    await takePicture(page, 'wall-ended');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });
});
