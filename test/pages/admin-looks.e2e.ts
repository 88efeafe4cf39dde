import { beforeAll, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
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
    ['terminals', 'terminals'],
    ['donors', 'donors'],
    ['settings', 'settings/organization'],
    ['branding', 'settings/branding'],
    ['donating', 'settings/donating'],
    ['wall-settings', 'settings/wall?event=lighthouse'],
    ['access', 'settings/access'],
    ['connections', 'settings/connections'],
    ['emails', 'emails'],
    ['users', 'users'],
    ['audit', 'audit'],
    ['nowhere', 'no-such-page'],
  ] as const;

describeWithChromium('the dashboard in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));

  it.each([
    ['hd', 'light'],
    ['hd', 'dark'],
    ['phone', 'light'],
    ['phone', 'dark'],
  ] as const)(
    'axe finds no violation on any screen: %s, %s',
    async (screen, colorScheme) => {
      const { page } = await openDesk(browser, app, '', { viewport: SCREENS[screen], colorScheme });
      const found: string[] = [];
      for (const [name, path] of screens()) {
        await page.goto(`${app.url}/admin/${path}`);
        await page.locator('#main').waitFor();
        await page.waitForLoadState('networkidle');
        await page.waitForTimeout(250);
        await takePicture(page, `admin-${name}-${screen}-${colorScheme}`);
        found.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
        if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
          found.push(`${name}: wider than the screen`);
      }
      expect(found).toEqual([]);
      await page.context().close();
    },
    300_000,
  );
});
