/// <reference lib="dom" />
import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { NO_LIMITS, startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createStaff, sql } from '../support/fixtures.js';
import { withOpened, withEvent } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const PER_MINUTE = 80;
const TABS = 2;
const TILLS = 4;
const BUSY_SECONDS = 20;
const DECIDED = 15;

describeWithChromium('the dashboard in the busiest minute', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const limits = { ...NO_LIMITS, perMinute: PER_MINUTE };
  const { app, admin, event } = withEvent({ start: () => startApp({}, { corsOrigins: ['*'], limits }) });
  let tills: readonly string[];

  beforeAll(async () => {
    await admin.patch(`/events/${event.id}/settings`, { live: { moderate: 'messages' } }).expect(200);
    const staff = Array.from({ length: TILLS }, (_, till) =>
      createStaff(app, admin.token, event.id, `Till ${till}`),
    );
    tills = (await Promise.all(staff)).map(({ token }) => token);
  });

  const give = (till: number, message: string) =>
    as(app, tills[till % TILLS] ?? '').post('/donations', {
      amount: 1_000,
      type: 'cash',
      donorName: 'Guest',
      message,
    });

  /** Counts the requests of the pages, and the requests that the rate limit refused. */
  function counted(context: BrowserContext) {
    const count = { reads: 0, refused: 0 };
    context.on('response', (response) => {
      if (!['fetch', 'xhr'].includes(response.request().resourceType())) return;
      count.reads += response.request().method() === 'GET' ? 1 : 0;
      count.refused += response.status() === 429 ? 1 : 0;
    });
    return count;
  }

  const heldMessages = async () => {
    const [row] = await sql<{ held: number }>(
      app,
      "SELECT count(*)::int AS held FROM donation WHERE event_id = $1 AND message_state = 'held'",
      [event.id],
    );
    return row?.held ?? 0;
  };

  it('the rate limit allows every moderation request of two busy tabs', async () => {
    const desk = await openDesk(browser, app, `tonight?event=${event.slug}`);
    const { page } = desk;
    const count = counted(page.context());
    const others: Page[] = [];
    for (let tab = 1; tab < TABS; tab++) {
      const other = await page.context().newPage();
      others.push(other);
      await other.goto(page.url());
      await other.getByTestId('total').waitFor();
    }
    const startedAt = Date.now();
    let given = 0;
    let decided = 0;
    while (Date.now() - startedAt < BUSY_SECONDS * 1_000 || decided < DECIDED) {
      await give(given, `Message ${given}`).expect(201);
      given++;
      if (given % 2 === 0 && decided < DECIDED && (await page.locator('.queue__item').count()) > 0) {
        await page.keyboard.press('a');
        decided++;
      }
      await page.waitForTimeout(350);
    }
    await until(async () => (await heldMessages()) === given - decided, 'every decision');
    expect(count.refused).toBe(0);
    // The total arrives by the live channel, so the rate limit cannot delay it.
    const total = `€${given * 10}`;
    for (const tab of [page, ...others])
      await until(async () => (await tab.getByTestId('total').innerText()) === total, total);
    expect(desk.problems).toEqual([]);
  });

  it('a hidden tab sends no reads, and a visible one reads at once', async () => {
    const { page } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await page.locator('.connection').getByText('Live', { exact: true }).waitFor();
    const look = (hidden: boolean) =>
      page.evaluate((isHidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await page.waitForTimeout(4_000);
    await look(true);
    const count = counted(page.context());
    await give(0, 'Read later').expect(201);
    await page.waitForTimeout(4_000);
    expect(count.reads).toBe(0);
    await look(false);
    await page.locator('.queue__text', { hasText: 'Read later' }).waitFor({ timeout: 2_000 });
  });

  it('the dashboard names the network of the hall when its requests are refused', async () => {
    const { page } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await page.locator('.connection').getByText('Live', { exact: true }).waitFor();
    for (let asked = 0; asked < PER_MINUTE + 25; asked++) await app.http.get(`/events/public?${asked}`);
    await give(0, 'Reads the figures again').expect(201);
    await page.getByText(/^Requests refused from 127\.0\.0\.1: \d+/).waitFor({ timeout: 15_000 });
    expect(await lookAt(page, 'tonight-crowded')).toEqual([]);
  });
});
