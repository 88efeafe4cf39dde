import { beforeAll, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { contentCutOff, elementsTooWide } from '../support/older-styles.js';
import { adminToken, createEvent, createStaff, type EventFixture } from '../support/fixtures.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
let event: EventFixture;
let donationId = '';

const GIFTS = [
  {
    amount: 5_000,
    type: 'cash',
    donorName: 'Ada Lovelace',
    donorEmail: 'ada@example.org',
    message: 'For the new roof!',
  },
  { amount: 25_000, type: 'check', donorName: 'Grace Hopper', donorEmail: 'grace@example.org' },
  { amount: 1_500, type: 'cash', isAnonymous: true, donorName: 'A neighbour from across the harbour' },
  { amount: 12_000, type: 'card_terminal', donorName: 'Émilie du Châtelet', message: 'Bon courage à tous' },
  { amount: 50_000, type: 'pledge', donorName: 'Leonhard Euler', donorEmail: 'euler@example.org' },
  { amount: 2_000, type: 'cash' },
  {
    amount: 123_456,
    type: 'bank_transfer',
    donorName: 'Stiftung Hafenlicht gGmbH',
    donorEmail: 'office@example.org',
  },
];

beforeAll(async () => {
  const token = await adminToken(app);
  const admin = as(app, token);
  await admin.patch('/settings/global', { organization: 'Harbour Lights Foundation' }).expect(200);
  event = await createEvent(app, token, {
    name: 'A new roof for the lighthouse',
    slug: 'lighthouse',
    goalAmount: 500_000,
  });
  await createEvent(app, token, { name: 'Spring run', slug: 'spring-run', status: 'draft' });
  const closed = await createEvent(app, token, {
    name: 'Winter market',
    slug: 'winter-market',
    goalAmount: 0,
  });
  await admin.patch(`/events/${closed.id}`, { status: 'closed' }).expect(200);
  const maria = await createStaff(app, token, event.id);
  await createStaff(app, token, event.id, 'Jonas Petersen');
  await admin.patch(`/events/${event.id}/settings`, { live: { moderate: 'all' } }).expect(200);
  await admin.post(`/events/${event.id}/teams/tables`, { count: 12, name: 'Table', seats: 10 }).expect(201);
  const person = {
    kind: 'person',
    name: 'Émilie du Châtelet and her friends from the harbour',
    goalAmount: 100_000,
  };
  await admin.post(`/events/${event.id}/teams`, { ...person, isListed: false }).expect(201);
  const till = as(app, maria.token);
  for (const gift of GIFTS) {
    const { body } = await till.post('/donations', gift).expect(201);
    if (gift.donorName === 'Grace Hopper') donationId = body.id;
  }
});

const screens = () =>
  [
    ['tonight', 'tonight?event=lighthouse'],
    ['donations', 'donations?event=lighthouse'],
    ['donation', `donations/${donationId}?event=lighthouse`],
    ['events', 'events'],
    ['event', 'events/lighthouse'],
    ['event-new', 'events?new=1'],
    ['account', 'account'],
    ['review', 'review'],
    ['closing', 'closing?event=lighthouse'],
    ['team', 'team'],
    ['teams', 'teams?event=lighthouse'],
    ['terminals', 'terminals'],
    ['donors', 'donors'],
    ['settings', 'settings/organization'],
    ['branding', 'settings/branding'],
    ['donating', 'settings/donating'],
    ['wall-settings', 'settings/wall?event=lighthouse'],
    ['accounting', 'settings/accounting'],
    ['access', 'settings/access'],
    ['connections', 'settings/connections'],
    ['emails', 'emails'],
    ['users', 'users'],
    ['audit', 'audit'],
    ['nowhere', 'no-such-page'],
  ] as const;

/** Each size and each colour scheme in both combinations with the other: two of four, because a style depends on only one of them. */
const LOOKS = [
  ['hd', 'light'],
  ['phone', 'dark'],
] as const;

describeWithChromium('the dashboard in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));

  it('every screen is accessible in light and dark, and fits a phone, a tablet, a laptop and a large display', async () => {
    const { page } = await openDesk(browser, app);
    const found: string[] = [];
    for (const [name, path] of screens()) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${app.url}/admin/${path}`);
      await page.locator('#main').waitFor();
      await page.waitForLoadState('networkidle');
      for (const [screen, viewport] of Object.entries(SCREENS).filter(([screen]) => screen !== 'uhd')) {
        await page.setViewportSize(viewport);
        await page.waitForTimeout(80);
        await takePicture(page, `layout-${name}-${screen}`);
        found.push(...(await elementsTooWide(page)).map((element) => `${name}, ${screen}: ${element}`));
        found.push(...(await contentCutOff(page)).map((element) => `${name}, ${screen}: cut ${element}`));
        if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
          found.push(`${name}, ${screen}: wider than the screen`);
      }
      // The structure differs only between a phone and the other sizes; the colours differ in the dark.
      for (const [screen, colorScheme] of LOOKS) {
        await page.setViewportSize(SCREENS[screen]);
        await page.emulateMedia({ colorScheme });
        await takePicture(page, `admin-${name}-${screen}-${colorScheme}`);
        const problems = await accessibilityProblems(page);
        found.push(...problems.map((problem) => `${name}, ${screen}, ${colorScheme}: ${problem}`));
      }
    }
    expect(found).toEqual([]);

    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(SCREENS.phone);
    await page.goto(`${app.url}/admin/tonight?event=lighthouse`);
    const needs = page.getByRole('heading', { name: 'Needs attention' });
    await page.getByText('For the new roof!').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('scrollY')).toBe(0);
    for (const viewport of [SCREENS.phone, SCREENS.hd, SCREENS.fullHd]) {
      await page.setViewportSize(viewport);
      expect((await needs.boundingBox())?.y).toBeLessThan(viewport.height - 100);
    }
    const columns = await page
      .locator('.tonight .panel')
      .evaluateAll(
        (panels) => new Set(panels.map((panel) => Math.round(panel.getBoundingClientRect().x))).size,
      );
    expect(columns).toBe(3);

    await page.goto(`${app.url}/admin/events?new=1`);
    const middle = async (element: Locator) => {
      const { y = 0, height = 0 } = (await element.boundingBox()) ?? {};
      return y + height / 2;
    };
    const dialog = page.getByRole('dialog', { name: 'New event' });
    // The dialog moves while it opens.
    await dialog.evaluate(async (element) => {
      await Promise.all(element.getAnimations({ subtree: true }).map(({ finished }) => finished));
    });
    const close = await middle(dialog.getByRole('button', { name: 'Close' }));
    expect(await middle(dialog.getByRole('heading', { name: 'New event' }))).toBeCloseTo(close, 0);
    const currency = dialog.getByLabel('Currency', { exact: true });
    await currency.selectOption({ label: 'Swiss Franc (CHF)' });
    expect(await currency.inputValue()).toBe('chf');
    await page.context().close();
  }, 240_000);
});
