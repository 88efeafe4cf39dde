/// <reference lib="dom" />
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { EventFixture } from '../support/fixtures.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { createEvent } from '../support/fixtures.js';
import { createPool, untilMatched } from '../support/match-pools.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { type Box, boxesOf, openWall, overlaps } from '../support/wall-page.js';

/** Sums that donations draw from a pool of 10,000.00: open, nearly empty, used up. */
const STATES = [
  ['open', 675_000],
  ['low', 998_000],
  ['used', 1_000_000],
] as const;

describeWithChromium('pages with a match pool', (executablePath) => {
  const app = withService(startPaymentsApp);
  const admin = withAdmin(app);
  const browser = withOpened(() => launchBrowser(executablePath));

  /** An event with a pool from which `amounts` were drawn. */
  async function matched(
    slug: string,
    locale: string,
    amounts: readonly number[],
    live: object = {},
  ): Promise<EventFixture> {
    const event = await createEvent(app, admin.token, {
      slug,
      name: 'Winter Gala for the Children’s Hospital',
      goalAmount: 3_000_000,
    });
    await admin
      .patch(`/events/${event.id}/settings`, {
        organization: 'Friends of the Children’s Hospital',
        locales: { default: locale, supported: [locale] },
        live: { celebrateFrom: 100_000_000, ...live },
      })
      .expect(200);
    await createPool(admin, event.id, {
      matcherName: 'Miller Foundation',
      cap: 1_000_000,
      closesAt: '2099-11-28T22:00:00.000Z',
    });
    const donors = ['Ada Lovelace', 'Familie Wolkenstein', 'Zoë & Team', 'Grace Hopper'];
    for (const [nth, amount] of amounts.entries())
      await admin
        .post('/donations', {
          eventId: event.id,
          type: 'cash',
          amount,
          donorName: donors[nth % donors.length],
          confirmed: true,
        })
        .expect(201);
    await untilMatched(app);
    return event;
  }

  it('the gauge and the celebration of the goal use the large figure, which contains the matched money', async () => {
    const event = await matched('wall-gauge', 'en', [600_000], { match: { total: 'with' } });
    const { page, until: untilShown, problems } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await untilShown(`document.getElementById('total').textContent === '€12,000'`);
    await untilShown(`document.getElementById('percent').textContent === '40%'`);
    expect(await page.getAttribute('#gauge', 'aria-valuetext')).toBe('€12,000');
    // The donation of 14,000 and the last 4,000 of the pool reach the goal of 30,000.
    await admin
      .post('/donations', { eventId: event.id, type: 'cash', amount: 1_400_000, confirmed: true })
      .expect(201);
    await page.locator('#celebration.celebration--goal').waitFor();
    await untilShown(`document.getElementById('total').textContent === '€30,000'`);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  const look = async (page: Page, name: string) => {
    await page.evaluate('document.fonts.ready');
    for (const [screen, colorScheme] of [
      ['phone', 'light'],
      ['hd', 'dark'],
      ['fullHd', 'light'],
    ] as const) {
      await page.setViewportSize(SCREENS[screen]);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(250);
      await takePicture(page, `match-${name}-${screen}-${colorScheme}`);
      const problems = await accessibilityProblems(page);
      expect({ name, screen, problems }).toEqual({ name, screen, problems: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  };

  it.each(
    STATES.flatMap(([state, sum]) => (['en', 'de'] as const).map((locale) => [state, locale, sum] as const)),
  )('the donate page with a pool is accessible: %s, %s', async (state, locale, sum) => {
    const event = await matched(`donate-${state}-${locale}`, locale, [sum]);
    const { page, problems } = await openPage(browser);
    await page.goto(`${app.url}/donate/${event.slug}`);
    await page.locator('#card input').first().waitFor();
    const line = page.locator('#match-line');
    await until(
      async () =>
        (await line.textContent())?.includes(state === 'used' ? '10' : state === 'low' ? '20' : '3') ?? false,
    );
    if (state !== 'used') await page.getByRole('radio').nth(1).check({ force: true });
    await page.locator('.match__more summary').click();
    await look(page, `donate-${state}-${locale}`);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['open', 'dark', 'en', 'apart'],
    ['open', 'light', 'de', 'with'],
    ['used', 'gala', 'en', 'apart'],
  ] as const)('the wall with a pool is accessible: %s, %s, %s, %s', async (state, theme, locale, total) => {
    const amounts = [425_000, 120_000, 80_000, 50_000, ...(state === 'used' ? [400_000] : [])];
    const event = await matched(`wall-${state}-${theme}`, locale, amounts, { theme, match: { total } });
    const { page, problems } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await page.locator('#match').waitFor({ state: 'visible' });
    await page.locator('.donation__matched').first().waitFor({ state: 'visible' });
    for (const screen of ['hd', 'fullHd', 'tablet'] as const) {
      await page.setViewportSize(SCREENS[screen]);
      await page.waitForTimeout(250);
      const [match, code, title, head] = (await boxesOf(page, [
        '#match',
        '.qr',
        '.wall__event',
        '.wall__head',
      ])) as [Box, Box, Box, Box];
      expect({ screen, overlap: overlaps(match, code) || overlaps(title, head) }).toEqual({
        screen,
        overlap: false,
      });
    }
    await look(page, `wall-${state}-${theme}-${locale}-${total}`);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
