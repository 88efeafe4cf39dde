import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { accessibilityProblems, launchBrowser, SCREENS } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { createEvent, sql } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const MANY = 10_000;
const DRAWN = 100;
const FIRST_ROWS_MS = 8_000;
const id = (prefix: string) => `('${prefix}-7a10-7c4e-9f00-' || lpad(to_hex(n), 12, '0'))::uuid`;
const SERIES = `generate_series(1, ${MANY}) AS n`;

/** Creates one donation per hour for the given number of hours. */
const HOURS = `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, is_anonymous, completed_at,
    created_at, updated_at)
  SELECT ('0198f3e0-7a10-7c4e-9f00-' || lpad(to_hex(n), 12, '0'))::uuid, $1, 100, 'eur', 'cash', 'COMPLETED', 'Hour ' || n, false,
    at, at, at FROM generate_series(1, 300) AS n, LATERAL (SELECT now() - n * interval '1 hour' AS at) AS times`;

/** Inserts the team of a very large charity, its assignments, and many donations of one donor. */
async function fill(app: TestApp, eventId: string): Promise<void> {
  await sql(
    app,
    `INSERT INTO staff_member (id, name, pin_digest, pin_sealed, updated_at)
     SELECT ${id('0198f3c3')}, 'Volunteer ' || n, sha256(('pin' || n)::bytea), '\\x00', now() FROM ${SERIES}`,
  );
  await sql(app, `INSERT INTO event_staff (event_id, staff_id) SELECT $1, ${id('0198f3c3')} FROM ${SERIES}`, [
    eventId,
  ]);
  await sql(
    app,
    `INSERT INTO admin (id, email, password_hash, role, name)
     SELECT ${id('0198f3d0')}, 'user' || n || '@example.org', 'x', 'ACCOUNTANT', 'User ' || n FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO refresh_token (id, admin_id, family_id, token_digest, expires_at, client, address)
     SELECT ${id('0198f3d1')}, '0198f3d0-7a10-7c4e-9f00-000000002710', ${id('0198f3d2')}, sha256(n::text::bytea),
       now() + interval '7 days', 'Program ' || n, '192.0.2.1' FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO terminal (id, name, token_digest) SELECT ${id('0198f3d3')}, 'Till ' || n, sha256(('t' || n)::bytea) FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO shift (id, event_id, staff_id, staff_name, currency, opening_float, opened_at)
     SELECT ${id('0198f3d4')}, $1, ${id('0198f3c3')}, 'Volunteer ' || n, 'eur', 5000, now() - n * interval '1 minute' FROM ${SERIES}`,
    [eventId],
  );
  await sql(
    app,
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, donor_key, is_anonymous,
       message, message_state, completed_at, created_at, updated_at)
     SELECT ${id('0198f3c4')}, $1, 100 + n, 'eur', 'cash', 'COMPLETED', 'Ada Lovelace', 'ada@example.org',
       sha256('ada'), false, 'Message ' || n, 'held', now(), now(), now() FROM ${SERIES}`,
    [eventId],
  );
}

describeWithChromium('lists next to other content', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);
  let page: Page;

  beforeAll(async () => {
    const event = await createEvent(app, admin.token, { name: 'Ten thousand', slug: 'ten-thousand' });
    await fill(app, event.id);
    const earlier = await createEvent(app, admin.token, { name: 'All year', slug: 'all-year' });
    await sql(app, HOURS, [earlier.id]);
    ({ page } = await openDesk(browser, app, 'account'));
  });

  /** Opens a page. Checks that some rows appear soon and that the document contains only a few rows. */
  const open = async (path: string, first: string, rows: (page: Page) => Locator) => {
    const from = Date.now();
    await page.goto(`${app.url}/admin/${path}`);
    await page.getByText(first, { exact: true }).first().waitFor();
    expect(Date.now() - from).toBeLessThan(FIRST_ROWS_MS);
    expect(await rows(page).count()).toBeLessThanOrEqual(DRAWN);
    expect(await accessibilityProblems(page)).toEqual([]);
  };
  const panel = (name: string) => (on: Page) => on.getByRole('region', { name }).locator('.lines__row');
  const more = async (scope: Locator, rows: Locator, left: string) => {
    await scope.getByRole('button', { name: `Show more (${left})` }).click();
    await until(async () => (await rows.count()) === 2 * DRAWN, 'more rows');
  };

  it('the user list draws only the visible rows', async () => {
    await open('users', 'User 10000', (on) => on.locator('tbody .table__row'));
    expect(await page.locator('[role=table]').getAttribute('aria-rowcount')).toBe(String(MANY + 2 + 1));
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await until(async () => (await page.locator('tbody .table__row').count()) <= DRAWN, 'few rows');
  });

  it.each([
    ['users', 1_280, 'Role'],
    // At this width, the menu of the dashboard is a bar at the top of the screen.
    ['users', 900, 'Role'],
    ['closing?event=all-year', 1_280, 'All year'],
    ['closing?event=all-year', 900, 'All year'],
  ])('the head of a long table on the page %s stays visible at %s px', async (path, width, column) => {
    await page.setViewportSize({ width, height: 720 });
    await page.goto(`${app.url}/admin/${path}`);
    const head = page.getByRole('columnheader', { name: column, exact: true });
    await head.waitFor();
    const body = `document.querySelector('${path === 'users' ? '.table' : '.hours'} tbody')`;
    const top = () => page.evaluate<number>(`${body}.getBoundingClientRect().top`);
    await page.evaluate(`${body}.scrollIntoView({ block: 'start' })`);
    await page.evaluate('scrollBy(0, 700)');
    expect(await top()).toBeLessThan(-500);
    const { x, y, height } = (await head.boundingBox()) ?? { x: 0, y: -1, height: 0 };
    // The text of the head is in front of the rows and below the menu.
    expect(
      await page.evaluate<string>(
        `document.elementFromPoint(${x + 8}, ${y + height / 2})?.closest('th')?.textContent.trim() ?? ''`,
      ),
    ).toBe(column);
    await page.setViewportSize(SCREENS.hd);
  });

  it('the list of sign-ins of an account shows their number, and more rows on request', async () => {
    await page.goto(`${app.url}/admin/users`);
    await page.getByRole('button', { name: 'Edit User 10000', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Sign-ins' }).click();
    const dialog = page.getByRole('dialog').last();
    await dialog.getByText('10,000 active sessions').waitFor();
    const rows = dialog.locator('.lines__row');
    expect(await rows.count()).toBe(DRAWN);
    await more(dialog, rows, '9,900');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('the lists of terminals and shifts show more rows on request, and say if the server left rows out', async () => {
    await open('terminals?event=ten-thousand', 'Till 1', panel('Terminals'));
    expect(await panel('Shifts')(page).count()).toBe(DRAWN);
    const terminals = page.getByRole('region', { name: 'Terminals' });
    await more(terminals, panel('Terminals')(page), '900');
    await terminals.getByText('Only the first 1,000 are shown.').waitFor();
    const shifts = page.getByRole('region', { name: 'Shifts' });
    await more(shifts, panel('Shifts')(page), '400');
    await shifts.getByText('Only the first 500 are shown.').waitFor();
  });

  it('the event page lists its volunteers', async () => {
    await open('events/ten-thousand', 'Volunteer 1', panel('Team of this event'));
    await more(
      page.getByRole('region', { name: 'Team of this event' }),
      panel('Team of this event')(page),
      '9,900',
    );
  });

  it('the donor page lists the donations of one donor', async () => {
    await page.goto(`${app.url}/admin/donors?search=ada`);
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText(/10,000 donations/).waitFor();
    const rows = sheet.locator('.lines__row');
    expect(await rows.count()).toBe(DRAWN);
    await more(sheet, rows, '900');
    await sheet.getByText('Only the first 1,000 are shown.').waitFor();
  });

  it('the statistics compare the hours of a long event with another event', async () => {
    await sql(
      app,
      `UPDATE donation SET source = 'table-7' WHERE id =
        (SELECT id FROM donation WHERE event_id = (SELECT id FROM event WHERE slug = 'all-year') LIMIT 1)`,
    );
    await page.goto(`${app.url}/admin/closing?event=all-year`);
    const hours = page.locator('.hours tbody tr');
    await hours.first().waitFor();
    expect(await hours.count()).toBe(96);
    const course = page.getByRole('region', { name: 'Donations over the evening' });
    const sources = course.getByRole('table', { name: 'By link or code' });
    await sources.getByRole('row', { name: /^table-7 1 / }).waitFor();
    await sources.getByRole('row', { name: /^All other donations / }).waitFor();
    await course.getByRole('combobox').selectOption({ label: 'Ten thousand' });
    await course.getByRole('columnheader', { name: 'Ten thousand' }).waitFor();
    await course.getByRole('button', { name: 'Show more (204)' }).click();
    await until(async () => (await hours.count()) === 192, 'more hours');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('moderation shows the first hundred messages and that more are waiting', async () => {
    await open('tonight?event=ten-thousand', 'Message 1', (on) => on.locator('.queue__item'));
    await page.getByText('Showing the first 100; more follow as you decide.').waitFor();
    const items = page.locator('.queue__item');
    await items.first().getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Message 1', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Message 101', { exact: true }).waitFor();
  });
});
