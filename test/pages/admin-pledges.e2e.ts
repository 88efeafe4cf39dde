import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { as, type Caller } from '../support/bearer.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened, withStaff } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('the paddle raise in the dashboard', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const evening = withEvent({
    start: () => startPaymentsApp(mail.environment, { corsOrigins: ['*'] }),
    fields: { name: 'Winter Gala', slug: 'winter-gala' },
  });
  const { app, admin, event } = evening;
  const browser = withOpened(() => launchBrowser(executablePath));
  const staff = withStaff(evening, { name: 'Maria Lopez' });

  const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;
  const call = async (amount: number, name?: string) =>
    idOf(await staff.post('/pledge-rounds', { amount, name }).expect(201));
  const pledge = async (roundId: string, amount: number, donorName: string, paddle?: string) =>
    idOf(await staff.post('/donations', { type: 'pledge', amount, roundId, donorName, paddle }).expect(201));
  const fulfil = (id: string, caller: Caller = staff) =>
    caller.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
  async function payOnline(id: string, amount: number) {
    const { body: link } = await staff.post(`/donations/${id}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount, metadata: { eventId: event.id, pledgeToken } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
  }

  const level = (page: Page, id: string) => page.locator(`.round[data-round="${id}"]`);
  const figure = (page: Page, id: string, fate: string) => level(page, id).locator(`[data-fate="${fate}"]`);

  it('the dashboard shows pledges live with their later payments, and each figure links to its rows', async () => {
    const { page, problems } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    expect(await page.locator('.round').count()).toBe(0);

    const large = await call(100_000, 'A new minibus');
    await level(page, large).filter({ hasText: '€1,000 · A new minibus' }).waitFor();
    await pledge(large, 100_000, 'Leonhard Euler', '117');
    const [ada, grace, emmy, undone] = [
      await pledge(large, 100_000, 'Ada Lovelace'),
      await pledge(large, 100_000, 'Grace Hopper'),
      await pledge(large, 100_000, 'Emmy Noether'),
      await pledge(large, 100_000, 'Nobody'),
    ];
    await level(page, large).filter({ hasText: '5 pledges · €5,000' }).waitFor();
    await staff.post(`/donations/${undone}/undo`).expect(200);
    await level(page, large).filter({ hasText: '4 pledges · €4,000' }).waitFor();
    await figure(page, large, 'withdrawn').filter({ hasText: '€1,000.00' }).waitFor();

    await fulfil(ada);
    await figure(page, large, 'kept_at_till').filter({ hasText: '€1,000.00' }).waitFor();
    await payOnline(grace, 100_000);
    await figure(page, large, 'kept_online').filter({ hasText: '€1,000.00' }).waitFor();
    await page.getByRole('progressbar', { name: '50% of pledges paid' }).waitFor();
    await staff.post(`/pledge-rounds/${large}/close`).expect(200);
    await level(page, large).filter({ hasText: 'Ended' }).waitFor();

    const small = await call(5_000);
    await fulfil(await pledge(small, 5_000, 'Sofja Kowalewskaja'));
    await level(page, small).filter({ hasText: 'Running' }).waitFor();
    await figure(page, small, 'kept_at_till').filter({ hasText: '€50.00' }).waitFor();
    expect(await lookAt(page, 'rounds-tonight')).toEqual([]);

    // The next morning, an admin refunds a part of a kept pledge and withdraws another pledge.
    await admin
      .post(`/donations/${ada}/cancel`, { shouldRefund: true, amount: 25_000 })
      .set('Idempotency-Key', randomUUID())
      .expect(200);
    await admin.post(`/donations/${emmy}/cancel`, { shouldRefund: false }).expect(200);
    await page.getByRole('link', { name: 'All levels' }).click();
    await figure(page, large, 'kept_at_till').filter({ hasText: '€750.00' }).waitFor();
    await figure(page, large, 'returned').filter({ hasText: '€250.00' }).waitFor();
    await figure(page, large, 'withdrawn').filter({ hasText: '€2,000.00' }).waitFor();
    await figure(page, 'all', 'open').filter({ hasText: '€1,000.00' }).waitFor();
    await figure(page, 'all', 'kept_at_till').filter({ hasText: '€800.00' }).waitFor();
    expect(await lookAt(page, 'rounds-closing')).toEqual([]);

    await figure(page, large, 'open').getByRole('link').click();
    await page.getByRole('link', { name: 'Leonhard Euler' }).waitFor();
    await page.getByText('Paddle 117').waitFor();
    await page.getByText('1 donation', { exact: true }).waitFor();
    expect(page.url()).toContain(`round=${large}&pledge=open`);
    expect(await page.getByLabel('Paddle raise level').inputValue()).toBe(large);
    expect(await lookAt(page, 'rounds-list')).toEqual([]);
    await page.getByLabel('Pledge status').selectOption('kept_online');
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await page.locator('.pill', { hasText: 'Paid online' }).first().waitFor();
    await page.goBack();
    await level(page, large)
      .getByRole('link', { name: /A new minibus/ })
      .click();
    await page.getByText('3 donations', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Sofja Kowalewskaja' }).first().waitFor();
    expect(page.url()).not.toMatch(/round|pledge/);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the dashboard sends one request if there is no paddle raise, and at most one every few seconds during many changes', async () => {
    const quiet = await createEvent(app, admin.token, { name: 'Quiet evening' });
    const till = as(app, (await createStaff(app, admin.token, quiet.id)).token);
    const { page } = await openDesk(browser, app, `tonight?event=${quiet.slug}`);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/pledge-rounds')) asked += 1;
    });
    for (let index = 1; index <= 8; index++) {
      await till.post('/donations', { type: 'cash', amount: 100 }).expect(201);
      await page
        .getByTestId('total')
        .filter({ hasText: `€${index}` })
        .waitFor();
    }
    // The page has read the list after the changes. So it could also have read the rounds, but it did not.
    await page.locator('.feed__row').nth(7).waitFor();
    expect(asked).toBe(0);
    const begun = Date.now();
    const round = idOf(await till.post('/pledge-rounds', { amount: 1_000 }).expect(201));
    for (let index = 1; index <= 12; index++) {
      await till.post('/donations', { type: 'pledge', amount: 1_000, roundId: round }).expect(201);
      await level(page, round)
        .filter({ hasText: `${index} ${index === 1 ? 'pledge' : 'pledges'} ·` })
        .waitFor();
    }
    await figure(page, round, 'open').filter({ hasText: '€120.00' }).waitFor();
    expect(asked).toBeLessThanOrEqual(2 + (Date.now() - begun) / 3_000);
    await page.context().close();
  });

  it('an admin reminds the donors of several unpaid pledges, and marks several as paid', async () => {
    const gala = await createEvent(app, admin.token, { name: 'Spring Gala' });
    const promise = async (donorName: string, amount: number, donorEmail?: string) =>
      idOf(
        await admin
          .post('/donations', { type: 'pledge', amount, donorName, donorEmail, eventId: gala.id })
          .set('Idempotency-Key', randomUUID())
          .expect(201),
      );
    await promise('Ada Lovelace', 30_000, 'ada@example.org');
    await promise('Grace Hopper', 20_000);
    const emmy = await promise('Emmy Noether', 10_000, 'emmy@example.org');
    const { page, problems } = await openDesk(browser, app, `donations?event=${gala.slug}&type=pledge`);
    await page.getByRole('button', { name: 'Collect pledges' }).click();
    const list = page.getByRole('dialog', { name: 'Unpaid pledges' });
    await list.getByLabel('Select all').check();
    await list.getByText('3 pledges selected · €600.00').waitFor();
    expect(await lookAt(page, 'open-pledges')).toEqual([]);
    await list.getByRole('button', { name: 'Send reminders' }).click();
    const question = page.getByRole('dialog', { name: 'Send 3 reminders?' });
    await question.getByRole('button', { name: 'Send reminders' }).click();
    await list.getByText('Reminder is being sent').nth(1).waitFor();
    expect(await list.getByText('Reminder is being sent').count()).toBe(2);
    await list.getByText('No e-mail address').waitFor();

    // Another member marks Emmy's pledge as paid meanwhile.
    await list.getByLabel('Ada Lovelace').check();
    await list.getByLabel('Emmy Noether').check();
    await fulfil(emmy, admin);
    await list.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Record €400.00 as received' }).click();
    await list.getByText('Grace Hopper').waitFor();
    await list.getByText('Ada Lovelace').waitFor({ state: 'detached' });
    const { body } = await admin.get(`/donations?eventId=${gala.id}&status=COMPLETED`).expect(200);
    expect((body as { data: { type: string }[] }).data.map(({ type }) => type).sort()).toEqual([
      'bank_transfer',
      'cash',
    ]);
    // The answer for the pledge that another member had marked.
    expect(problems).toEqual([expect.stringContaining('409')]);
    await page.context().close();
  });

  it('the sum of selected pledges has one amount for each currency', async () => {
    const gala = await createEvent(app, admin.token, { name: 'Border Gala' });
    const promise = async (donorName: string, amount: number) =>
      idOf(
        await admin
          .post('/donations', { type: 'pledge', amount, donorName, eventId: gala.id })
          .set('Idempotency-Key', randomUUID())
          .expect(201),
      );
    await promise('Ada Lovelace', 30_000);
    await promise('Grace Hopper', 20_000);
    const emmy = await promise('Emmy Noether', 10_050);
    // The event had another currency when this pledge was recorded.
    await sql(app, "UPDATE donation SET currency = 'chf' WHERE id = $1", [emmy]);
    const { page, problems } = await openDesk(browser, app, `donations?event=${gala.slug}&type=pledge`);
    await page.getByRole('button', { name: 'Collect pledges' }).click();
    const list = page.getByRole('dialog', { name: 'Unpaid pledges' });
    await list.getByLabel('Emmy Noether').check();
    await list.getByText('1 pledge selected · CHF 100.50').waitFor();
    await list.getByLabel('Select all').check();
    await list.getByText('3 pledges selected · €500.00 + CHF 100.50').waitFor();
    expect(await lookAt(page, 'open-pledges-currencies')).toEqual([]);
    await list.getByLabel('Grace Hopper').uncheck();
    await list.getByText('2 pledges selected · €300.00 + CHF 100.50').waitFor();
    await list.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('button', { name: 'Record €300.00 + CHF 100.50 as received' }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('an accountant can read the paddle raise', async () => {
    const { page, problems } = await openDesk(browser, app, `closing?event=${event.slug}`, {
      role: 'ACCOUNTANT',
    });
    await page.locator('.round[data-round="all"]').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
