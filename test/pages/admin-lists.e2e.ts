import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const MANY = 10_000;
/** A generous limit, because this test must find frozen lists but must not fail on a busy machine. */
const FIRST_PAGE_MS = 5_000;
const FRAME_MS = 1_000;
const MOST_ROWS_DRAWN = 90;

const id = (prefix: string) => `('${prefix}-7a10-7c4e-9f00-' || lpad(to_hex(n), 12, '0'))::uuid`;
const SERIES = `generate_series(1, ${MANY}) AS n`;

/** Fills each list with as many rows as a large charity has after several years. */
async function fill(app: TestApp, eventId: string): Promise<void> {
  await sql(
    app,
    `INSERT INTO event (id, slug, name, goal_amount, currency, status, updated_at)
     SELECT ${id('0198f3c2')}, 'run-' || n, 'Charity run ' || n, 0, 'eur', 'closed', now() FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO staff_member (id, name, pin_digest, pin_sealed, updated_at)
     SELECT ${id('0198f3c3')}, 'Volunteer ' || n, sha256(('pin' || n)::bytea), '\\x00', now() FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, donor_key, is_anonymous,
       completed_at, created_at, updated_at)
     SELECT ${id('0198f3c4')}, $1, 100 + n, 'eur', 'cash', 'COMPLETED', 'Donor ' || n, 'donor' || n || '@example.org',
       sha256(('donor' || n)::bytea), false, now(), now() - n * interval '1 second', now() FROM ${SERIES}`,
    [eventId],
  );
  await sql(
    app,
    `INSERT INTO audit_entry (id, actor_kind, action, detail)
     SELECT ${id('0198f3c5')}, 'system', 'staff.sign_in_failed', '{}' FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO review_item (id, kind, subject, detail)
     SELECT ${id('0198f3c6')}, 'recorded_at_rejected', 'record:' || n, '{}' FROM ${SERIES}`,
  );
  await sql(
    app,
    `INSERT INTO email (id, kind, subject, state)
     SELECT ${id('0198f3c7')}, 'receipt', 'mail:' || n, 'sent' FROM ${SERIES}`,
  );
}

describeWithChromium('lists of the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));

  const drawn = (page: Page) => page.locator('tbody .table__row').count();
  const rowCount = async (page: Page) =>
    Number(await page.locator('[role=table]').getAttribute('aria-rowcount'));

  describe('empty lists', () => {
    it.each([
      ['events', 'No events yet'],
      ['donations', 'No donations yet'],
      ['team', 'No members yet'],
      ['terminals', 'No terminals enrolled'],
      ['donors', 'No donors with an e-mail address yet'],
      ['review', 'Nothing needs attention'],
      ['emails', 'No e-mails'],
      ['audit?action=donor', 'No matches'],
      ['closing', 'No events yet'],
    ])('the empty list %s says that it is empty and names the next step', async (path, text) => {
      const { page, problems } = await openDesk(browser, app, path);
      await page.getByText(text).first().waitFor();
      expect(await lookAt(page, `empty-${path.replace(/\W.*/, '')}`)).toEqual([]);
      expect(problems).toEqual([]);
      await page.context().close();
    });
  });

  it('a list with one row shows it and is accessible', async () => {
    const token = await adminToken(app);
    const event = await createEvent(app, token, { name: 'Winter Gala', slug: 'winter-gala' });
    const { token: till } = await createStaff(app, token, event.id);
    await as(app, till)
      .post('/donations', {
        amount: 100,
        type: 'cash',
        donorName: 'Ada Lovelace',
        donorEmail: 'ada@example.org',
      })
      .expect(201);
    const { page } = await openDesk(browser, app, 'events');
    for (const [path, text] of [
      ['events', 'Winter Gala'],
      ['donations', 'Ada Lovelace'],
      ['team', 'Maria Lopez'],
      ['donors', 'ada@example.org'],
    ] as const) {
      await page.goto(`${app.url}/admin/${path}`);
      await page.getByRole('table').getByText(text).waitFor();
      expect(await lookAt(page, `one-${path}`)).toEqual([]);
    }
    await page.context().close();
  });

  describe('lists of ten thousand rows', () => {
    let page: Page;
    const admin = withAdmin(app);
    beforeAll(async () => {
      const { id: eventId } = await createEvent(app, admin.token, {
        name: 'Ten thousand',
        slug: 'ten-thousand',
      });
      await fill(app, eventId);
      ({ page } = await openDesk(browser, app, 'account'));
    });
    afterAll(() => page.context().close());

    /** Opens a list. Checks that the first row appears within seconds and that the document contains only a few rows. */
    const open = async (path: string, first: string) => {
      const from = Date.now();
      await page.goto(`${app.url}/admin/${path}`);
      await page.getByText(first, { exact: true }).first().waitFor();
      expect(Date.now() - from).toBeLessThan(FIRST_PAGE_MS);
      await page.waitForLoadState('networkidle');
      expect(await drawn(page)).toBeLessThan(MOST_ROWS_DRAWN);
    };
    /** Scrolls several times to the end of the loaded rows. Checks that no frame takes long. */
    const scroll = async (times: number) => {
      for (let step = 0; step < times; step++) {
        const ms = await page.evaluate<number>(`new Promise((done) => {
          const from = performance.now();
          scrollTo(0, document.documentElement.scrollHeight);
          requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from)));
        })`);
        expect(ms).toBeLessThan(FRAME_MS);
        await page.waitForTimeout(200);
      }
      await page.waitForLoadState('networkidle');
      expect(await drawn(page)).toBeLessThan(MOST_ROWS_DRAWN);
    };

    it.each([
      ['events', 'Charity run 10000', 'Search events', 'run 7777', 'Charity run 7777'],
      ['donors', 'Donor 10000', 'Search by name or e-mail', 'donor77@', 'Donor 77'],
      ['donations?event=ten-thousand', 'Donor 10000', 'Search by name or e-mail', 'donor77@', 'Donor 77'],
    ])(
      'the list %s loads further rows by scrolling and finds rows that were not loaded',
      async (path, first, box, typed, found) => {
        await open(path, first);
        await scroll(4);
        await until(
          async () => (await page.evaluate<number>('document.documentElement.scrollHeight')) > 200 * 45,
          'more than the first page',
        );
        expect(await accessibilityProblems(page)).toEqual([]);
        await page.evaluate('scrollTo(0, 0)');
        await page.getByPlaceholder(box).pressSequentially(typed, { delay: 15 });
        await page.getByRole('link', { name: found, exact: true }).waitFor();
        await takePicture(page, `admin-many-${path.replace(/\W.*/, '')}`);
      },
    );

    it('the team list is complete and shows its last member after one scroll', async () => {
      await open('team', 'Volunteer 1');
      expect(await rowCount(page)).toBe(MANY + 2);
      await scroll(1);
      await page.getByText('Maria Lopez').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.evaluate('scrollTo(0, 0)');
      await page.getByPlaceholder('Search the team').fill('Volunteer 9999');
      await page.getByText('Volunteer 9999', { exact: true }).waitFor();
      await until(async () => (await drawn(page)) === 1, 'one row');
      const looks = await sql(app, "SELECT 1 FROM audit_entry WHERE action = 'staff.see_pins'");
      expect(looks).toEqual([]);
      // An admin views one PIN, and the audit log records it.
      await page.getByPlaceholder('Search the team').fill('Maria');
      await page.getByRole('button', { name: 'Show the PIN of Maria Lopez' }).click();
      await page.getByText(/^\d{6}$/).waitFor();
      await takePicture(page, 'admin-team-pin');
      const look = await sql(app, "SELECT 1 FROM audit_entry WHERE action = 'staff.see_pins'");
      expect(look).toHaveLength(1);
    });

    it('the audit log loads further entries by scrolling and describes them in words', async () => {
      await open('audit', 'Signed in');
      await scroll(4);
      await page.getByText('Wrong PIN at a till').first().waitFor();
      await takePicture(page, 'admin-many-audit');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.goto(`${app.url}/admin/audit?action=admin`);
      await page.getByText('Signed in').first().waitFor();
      expect(await page.getByText('Wrong PIN at a till').count()).toBe(0);
    });

    it('the audit log shows money, fields and filters in the language of the reader', async () => {
      const entries: readonly (readonly [string, object, string])[] = [
        [
          'shift.count',
          { counted: 12_450, expected: 12_500, currency: 'eur' },
          'gezählt: 124,50\u00a0€ · erwartet: 125\u00a0€',
        ],
        // Entries of version 1.0 have no currency.
        ['pledge_round.open', { amount: 25_000 }, 'Betrag: 25.000 in der kleinsten Einheit der Währung'],
        [
          'settings.update',
          {
            fields: ['donation.minAmount', 'organization'],
            before: { 'donation.minAmount': 100 },
            after: { 'donation.minAmount': 500 },
            currency: 'eur',
          },
          '1\u00a0€ → 5\u00a0€ · geändert: ',
        ],
        [
          'donations.export',
          { filters: ['eventId', 'disputed'], format: 'people' },
          'gefiltert nach: Veranstaltung, Anfechtung',
        ],
        [
          'admin.update',
          { role: { before: 'ADMIN', after: 'ACCOUNTANT' } },
          'Rolle: Administrator → Buchhaltung',
        ],
      ];
      for (const [action, detail] of entries)
        await sql(
          app,
          "INSERT INTO audit_entry (id, actor_kind, action, detail) VALUES ($1, 'system', $2, $3)",
          [newId(), action, JSON.stringify(detail)],
        );
      await page.goto(`${app.url}/admin/audit?actor=system&lang=de`);
      for (const [, , text] of entries) await page.locator(`span[title*="${text}"]`).waitFor();
      await takePicture(page, 'admin-audit-german');
      await page.evaluate("localStorage.removeItem('desk.language')");
    });

    it('the e-mail list loads further rows by scrolling', async () => {
      await open('emails', 'Receipt');
      await scroll(4);
    });

    it('the page Review shows all items and their number, items with a deadline first', async () => {
      // This item is older and more urgent than all others.
      await sql(
        app,
        `INSERT INTO review_item (id, kind, subject, detail, particulars, due_by, created_at)
         VALUES ('0198f3b0-7a10-7c4e-9f00-000000000001', 'dispute', 'acme:dp_1', '{"state": "open"}', '{"inquiry": false}',
           now() + interval '3 days', now() - interval '9 days')`,
      );
      const from = Date.now();
      await page.goto(`${app.url}/admin/review`);
      const cards = page.locator('.review');
      await page.getByRole('heading', { name: 'A record has an impossible time' }).first().waitFor();
      expect(Date.now() - from).toBeLessThan(FIRST_PAGE_MS);
      expect(await cards.first().getByRole('heading').textContent()).toBe('A payment is disputed');
      expect(await cards.count()).toBe(100);
      await page.getByText('10,001 to review').waitFor();
      await page.getByRole('link', { name: 'Review 10,001' }).waitFor();
      await page.getByRole('button', { name: 'Show more (9,901)' }).click();
      await until(async () => (await cards.count()) === 200, 'more cards');
      expect(await accessibilityProblems(page)).toEqual([]);

      // The admin resolves an item of the second page. This item disappears, and all others stay.
      await cards.nth(150).getByRole('button', { name: 'Mark as resolved' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Mark as resolved' }).click();
      await page.getByText('10,000 to review').waitFor();
      await until(async () => (await cards.count()) === 199, 'one card less');
      await page.getByRole('button', { name: 'Show more (9,801)' }).waitFor();

      // The address of an item opens the item at any position in the list, and shows when the item was resolved.
      await page.goto(`${app.url}/admin/review/0198f3c6-7a10-7c4e-9f00-000000000001`);
      await page
        .locator('.review[aria-current]')
        .getByText('record:1', { exact: true })
        .waitFor({ state: 'attached' });
      await page.locator('.review[aria-current]').getByRole('button', { name: 'Mark as resolved' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Mark as resolved' }).click();
      await page.getByText('9,999 to review').waitFor();
      await page.reload();
      await page.getByText('This item is already resolved.').waitFor();
    });

    it('the address of an old event selects it although the menu does not list it', async () => {
      await page.goto(`${app.url}/admin/settings/organization?event=run-1`);
      await page.getByText('Applies only to Charity run 1.').waitFor();
      await page.goto(`${app.url}/admin/closing?event=run-1`);
      await page.getByRole('heading', { name: 'Closing: Charity run 1', exact: true }).waitFor();
      expect(page.url()).toContain('event=run-1');
      await page.goto(`${app.url}/admin/team?event=run-1`);
      await page.getByText('No volunteers at this event yet').waitFor();
    });
  });
});
