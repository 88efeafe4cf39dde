/// <reference lib="dom" />
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { startApp } from '../support/app.js';
import { as, type DonationBody } from '../support/bearer.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk, saved } from '../support/desk.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { createPool, type PoolBody, untilMatched } from '../support/match-pools.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const MANY = 10_000;

describeWithChromium('match pools in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  const give = async (eventId: string, amount: number, fields: object = {}) =>
    (await admin.post('/donations', { eventId, type: 'cash', amount, ...fields }).expect(201))
      .body as DonationBody;
  const listed = async (eventId: string) =>
    ((await admin.get(`/match-pools?eventId=${eventId}`).expect(200)).body as { data: PoolBody[] }).data;
  const press = (place: Page | Locator, name: string) =>
    place.getByRole('button', { name, exact: true }).click();
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

  it('an admin creates a pool, opens it, watches the draws, ends it, records the payment and settles it', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Gala' });
    const { page, problems } = await openDesk(browser, app, `match-pools?event=${event.slug}`, {
      acceptDownloads: true,
    });
    await page.getByText('No match pools yet').waitFor();
    expect(await lookAt(page, 'match-empty')).toEqual([]);
    await press(page, 'Add match pool');
    const form = dialogOf(page, 'Add match pool');
    const add = form.getByRole('button', { name: 'Add match pool' });
    await form.getByLabel('Name', { exact: true }).fill('Double your donation');
    await form.getByLabel('Size').fill('100');
    expect(await add.isDisabled()).toBe(true);
    await form.getByLabel('If money is left at the end').selectOption('It is not given');
    await form.getByLabel('Matcher', { exact: false }).first().fill('Miller Foundation');
    expect(await lookAt(page, 'match-add')).toEqual([]);
    await add.click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Double your donation' }).click();
    await page.getByRole('heading', { name: 'Double your donation' }).waitFor();
    await page.getByText('No donation has drawn from the pool yet.').waitFor();
    await press(page, 'Open');
    await press(dialogOf(page, 'Open “Double your donation”?'), 'Open');
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    await give(event.id, 4_000);
    await give(event.id, 7_000);
    await untilMatched(app);
    const draws = page.getByRole('table', { name: 'Donations of the pool' });
    await page.reload();
    await draws.getByText('€60.00').waitFor();
    await page.getByText('Used up').waitFor();
    await page.getByText('€100.00 · 2 donations').waitFor();
    expect(await lookAt(page, 'match-pool')).toEqual([]);

    // Only terms that no donor relies on may change now.
    await press(page, 'Edit');
    const edit = dialogOf(page, 'Double your donation');
    await edit.getByText('Donors give on the terms of this pool').waitFor();
    expect(await edit.getByLabel('Added to a donation, in percent').count()).toBe(0);
    await edit.getByLabel('Size').fill('150');
    await press(edit, 'Save');
    await edit.waitFor({ state: 'detached' });
    await page.getByText('Used up').waitFor({ state: 'detached' });

    await press(page, 'Pause');
    await press(dialogOf(page, 'Pause “Double your donation”?'), 'Pause');
    await press(page, 'Open again');
    await press(dialogOf(page, 'Open “Double your donation” again?'), 'Open again');
    await press(page, 'End');
    const end = dialogOf(page, 'End “Double your donation” for good?');
    await end.getByText('A pool that has ended cannot be opened again.').waitFor();
    expect(await lookAt(page, 'match-end')).toEqual([]);
    await press(end, 'End');
    await page.getByRole('button', { name: 'Settle' }).waitFor();

    await press(page, 'Record a payment');
    const pay = dialogOf(page, 'Record a payment');
    await pay.getByLabel('Amount').fill('80');
    expect(await lookAt(page, 'match-pay')).toEqual([]);
    await press(pay, 'Record');
    await page.getByRole('list', { name: 'Payments of the matcher' }).getByText('€80.00').waitFor();

    // The rest was recorded as a donation before somebody knew that it was the payment.
    await give(event.id, 1_500, { donorName: 'Miller Foundation' });
    await press(page, 'Record a payment');
    await pay.getByLabel('The payment').selectOption('is already among the donations');
    await pay.getByRole('radio', { name: /€15.00 · Miller Foundation/ }).check();
    expect(await lookAt(page, 'match-pay-known')).toEqual([]);
    await press(pay, 'Record');
    await page.getByRole('list', { name: 'Payments of the matcher' }).getByText('€15.00').waitFor();

    const { download, bytes } = await saved(page, () => press(page, 'Letter to the matcher'));
    expect(download.suggestedFilename()).toBe('match-letter.pdf');
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');

    await press(page, 'Settle');
    const settle = dialogOf(page, 'Settle “Double your donation”?');
    await settle.getByText('€5.00 are still due.').waitFor();
    expect(await settle.getByRole('button', { name: 'Settle' }).isDisabled()).toBe(true);
    await settle.getByLabel('Reason').fill('The bank kept a fee.');
    expect(await lookAt(page, 'match-settle')).toEqual([]);
    await press(settle, 'Settle');
    await page.getByText('The bank kept a fee.').waitFor();
    expect(await listed(event.id)).toMatchObject([
      { status: 'settled', cap: 15_000, drawn: 10_000, settled: 9_500, due: 500 },
    ]);
    await page.getByRole('link', { name: 'Match pools' }).first().click();
    await page.getByRole('table', { name: 'Match pools' }).getByText('Settled').first().waitFor();
    expect(await lookAt(page, 'match-list')).toEqual([]);

    // Each line about the pool opens its donations.
    await page.goto(`${app.url}/admin/tonight?event=${event.slug}`);
    await page.getByRole('button', { name: 'Explain this total' }).first().click();
    const explained = dialogOf(page, 'How this total is calculated');
    await explained.getByRole('row', { name: 'Matched · Double your donation 2 €100.00' }).waitFor();
    await explained
      .getByRole('row', { name: /Paid by the matcher, already in the total · Double your donation 2 €95.00/ })
      .waitFor();
    expect(await lookAt(page, 'match-explained')).toEqual([]);
    await explained.getByRole('link', { name: 'Matched · Double your donation' }).click();
    const donations = page.getByRole('table', { name: 'Donations' });
    await donations.getByText('€70.00').waitFor();
    expect(await donations.getByRole('row').count()).toBe(3);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the form has all terms of a pool; while it is open, only those that may change', async () => {
    const event = await createEvent(app, admin.token);
    const pool = await createPool(admin, event.id, { matcherName: 'Miller Foundation' }, false);
    const { page } = await openDesk(browser, app, `match-pools/${pool.id}`);
    await press(page, 'Edit');
    const edit = dialogOf(page, 'Double your donation');
    await edit.getByLabel('Website').fill('https://miller.example.org/');
    const picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#0d5c4c' } })
      .png()
      .toBuffer();
    await edit
      .locator('input[type=file]')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: picture });
    await edit.locator('img').waitFor();
    await edit.getByLabel('Cash', { exact: true }).check();
    await edit.getByLabel('Cheque', { exact: true }).check();
    await edit.getByLabel('Minutes for records that arrive late').fill('30');
    await edit.getByLabel('Order: the lowest number first').fill('7');
    expect(await lookAt(page, 'match-terms')).toEqual([]);
    await press(edit, 'Save');
    await edit.waitFor({ state: 'detached' });
    const stored = async () => (await admin.get(`/match-pools/${pool.id}`).expect(200)).body as object;
    expect(await stored()).toMatchObject({
      url: 'https://miller.example.org/',
      logo: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      kinds: ['cash', 'check'],
      graceMinutes: 30,
      priority: 7,
    });
    await admin.post(`/match-pools/${pool.id}/open`, {}).expect(200);
    await page.reload();
    await press(page, 'Edit');
    expect(await edit.getByLabel('Minutes for records that arrive late').count()).toBe(0);
    expect(await edit.getByLabel('Cash', { exact: true }).count()).toBe(0);
    await edit.getByLabel('Order: the lowest number first').fill('9');
    await press(edit, 'Save');
    await edit.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ priority: 9, kinds: ['cash', 'check'] });
    await page.context().close();
  });

  it('a draft can be deleted, and a scheduled pool cancelled', async () => {
    const event = await createEvent(app, admin.token, { name: 'Autumn Gala' });
    const draft = await createPool(admin, event.id, { name: 'A draft' }, false);
    const opensAt = new Date(Date.now() + 86_400_000).toISOString();
    await createPool(admin, event.id, { name: 'For tomorrow', opensAt });
    const { page, problems } = await openDesk(browser, app, `match-pools/${draft.id}`);
    await press(page, 'Delete pool');
    await press(dialogOf(page, 'Delete “A draft”?'), 'Delete pool');
    const table = page.getByRole('table', { name: 'Match pools' });
    await table.getByText('Scheduled').waitFor();
    expect(await table.getByText('A draft').count()).toBe(0);
    await page.getByRole('link', { name: 'For tomorrow' }).click();
    await press(page, 'Cancel pool');
    const question = dialogOf(page, 'Cancel “For tomorrow”?');
    await question.getByText('cannot be opened again').waitFor();
    await press(question, 'Cancel pool');
    await page.getByText('Cancelled').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('two people change a pool: other fields are merged, and the same field is a question', async () => {
    const event = await createEvent(app, admin.token, { name: 'Spring Gala' });
    const pool = await createPool(admin, event.id, { name: 'Doubled' }, false);
    const { page } = await openDesk(browser, app, `match-pools/${pool.id}`);
    const edit = dialogOf(page, 'Doubled');
    await press(page, 'Edit');
    await edit.getByLabel('Size').fill('2,000');
    await admin
      .patch(`/match-pools/${pool.id}`, { version: pool.version, matcherName: 'Miller' })
      .expect(200);
    await press(edit, 'Save');
    await edit.waitFor({ state: 'detached' });
    expect(await listed(event.id)).toMatchObject([{ cap: 200_000, matcherName: 'Miller' }]);

    await press(page, 'Edit');
    await edit.getByLabel('Size').fill('3,000');
    const [now] = await listed(event.id);
    await admin.patch(`/match-pools/${pool.id}`, { version: now?.version, cap: 250_000 }).expect(200);
    await press(edit, 'Save');
    await edit.getByText(/Size.*€2,500/).waitFor();
    expect(await lookAt(page, 'match-conflict')).toEqual([]);
    await press(edit, 'Keep mine');
    await edit.waitFor({ state: 'detached' });
    expect(await listed(event.id)).toMatchObject([{ cap: 300_000, matcherName: 'Miller' }]);
    await page.context().close();
  });

  it('an accountant reads a pool with ten thousand draws, and changes nothing', async () => {
    const event = await createEvent(app, admin.token, { name: 'Large Gala' });
    const pool = await createPool(admin, event.id, { name: 'A large pool', cap: 100_000_000 });
    const id = `('0198f3c9-7a10-7c4e-9f00-' || lpad(to_hex(n), 12, '0'))::uuid`;
    await sql(
      app,
      `INSERT INTO donation (id, event_id, amount, currency, type, status, is_anonymous, completed_at, created_at, updated_at)
       SELECT ${id}, $1, 1000, 'eur', 'cash', 'COMPLETED', true, now(), now(), now() FROM generate_series(1, ${MANY}) AS n`,
      [event.id],
    );
    await sql(
      app,
      `INSERT INTO match_draw (pool_id, donation_id, amount, kept, base, state, given_at, changed_at)
       SELECT $1, ${id}, 1000, 0, 1000, 'drawn', now(), now() FROM generate_series(1, ${MANY}) AS n`,
      [pool.id],
    );
    await sql(app, 'UPDATE match_pool SET drawn = 10000000 WHERE id = $1', [pool.id]);
    const { page, problems } = await openDesk(browser, app, `match-pools?event=${event.slug}`, {
      role: 'ACCOUNTANT',
    });
    await page.getByRole('link', { name: 'A large pool' }).click();
    await page.getByText('€100,000.00 · 10,000 donations').waitFor();
    const rows = page.getByRole('table', { name: 'Donations of the pool' }).getByRole('row');
    await rows.nth(5).waitFor();
    expect(await rows.count()).toBeLessThan(120);
    await until(async () => {
      await page.mouse.wheel(0, 20_000);
      return Number(await rows.last().getAttribute('aria-rowindex')) > 250;
    }, 'the rows of later pages');
    for (const name of ['Add match pool', 'Edit', 'Pause', 'End', 'Record a payment'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Letter to the matcher' }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the list shows an error with a retry, and recovers', async () => {
    const event = await createEvent(app, admin.token, { name: 'Broken Gala' });
    await createPool(admin, event.id, { name: 'Doubled' });
    const { page } = await openDesk(browser, app, `events`);
    const isList = ({ pathname }: URL) => pathname === '/match-pools';
    await page.route(isList, (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto(`${app.url}/admin/match-pools?event=${event.slug}`);
    await page.getByRole('alert').waitFor();
    await page.unroute(isList);
    await press(page, 'Try again');
    await page.getByRole('link', { name: 'Doubled' }).waitFor();
    await page.context().close();
  });

  it('the page Tonight warns during a paddle raise if an open pool matches only paid pledges', async () => {
    const event = await createEvent(app, admin.token, { name: 'Paddle Gala' });
    const staff = as(app, (await createStaff(app, admin.token, event.id)).token);
    await createPool(admin, event.id, { name: 'Only paid', pledges: 'when_paid' });
    await createPool(admin, event.id, { name: 'Also pledged', pledges: 'keep' });
    const { page, problems } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const warning = page.getByRole('alert').filter({ hasText: 'matches a pledge only when it is paid' });
    expect(await warning.count()).toBe(0);
    const { body } = await staff.post('/pledge-rounds', { amount: 10_000 }).expect(201);
    await warning.filter({ hasText: 'Only paid' }).waitFor();
    expect(await warning.count()).toBe(1);
    expect(await lookAt(page, 'match-paddle')).toEqual([]);
    await staff.post(`/pledge-rounds/${(body as { id: string }).id}/close`).expect(200);
    await warning.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
