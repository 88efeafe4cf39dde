import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import { World } from '../money/world.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

/** Rows of the first ledger in `place`: name and amount. */
const ledgerIn = async (page: Page, place: string): Promise<string[][]> => {
  const ledger = page.locator(place).locator('.ledger').first();
  await ledger.waitFor();
  const [names, amounts] = [
    await ledger.locator('dt').allInnerTexts(),
    await ledger.locator('dd').allInnerTexts(),
  ];
  return names.map((name, index) => [name.split(' · ')[0]!.trim(), amounts[index]!.trim()]);
};

describeWithChromium('closing the event in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startPaymentsApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  it('the closing statement, the explanation and the donation add up with the same words in the same order', async () => {
    const world = await World.create(app, admin.token);
    const { event } = world;
    const { donationId, paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await world.cancel(donationId, { shouldRefund: true, amount: 2_000 });
    await world.deliverAll(Math.random);
    await admin.post('/donations', { eventId: event.id, type: 'cash', amount: 10_000 }).expect(201);
    await admin.post('/donations', { eventId: event.id, type: 'pledge', amount: 7_000 }).expect(201);
    await sql(app, "UPDATE donation SET fee = 100, fee_currency = 'eur' WHERE id = $1", [donationId]);

    const { page, problems } = await openDesk(browser, app, `closing?event=${event.slug}`);
    const rows = [
      ['Received', '€150.00'],
      ['Refunded', '−€20.00'],
      ['Total', '€130.00'],
      ['Provider fees', '−€1.00'],
      ['Net at the bank', '€129.00'],
    ];
    expect(await ledgerIn(page, 'section[aria-label="EUR"]')).toEqual(rows);
    const pledged = page.locator('section[aria-label="EUR"] .ledger--apart').first();
    expect(await pledged.innerText()).toMatch(/Pledged, not paid yet[^]*not in the total[^]*€70\.00/);
    expect(await lookAt(page, 'closing-ledger')).toEqual([]);

    await page.getByRole('button', { name: 'Explain this total' }).click();
    expect(await ledgerIn(page, 'dialog')).toEqual(rows);
    expect(await lookAt(page, 'explain-ledger')).toEqual([]);
    await page.keyboard.press('Escape');

    await page.goto(`${app.url}/admin/donations/${donationId}`);
    await page.getByText('Net at the bank').waitFor();
    expect(await ledgerIn(page, 'dialog')).toEqual([
      ['Received', '€50.00'],
      ['Refunded', '−€20.00'],
      ['Total', '€30.00'],
      ['Provider fees', '−€1.00'],
      ['Net at the bank', '€29.00'],
    ]);
    expect(await lookAt(page, 'donation-ledger')).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the closing statement shows no fee and no amount at the bank that it does not know, and no negative zero', async () => {
    const world = await World.create(app, admin.token);
    const { donationId, paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await sql(app, 'UPDATE donation SET fee = NULL, fee_currency = NULL WHERE id = $1', [donationId]);
    const { page, problems } = await openDesk(browser, app, `closing?event=${world.event.slug}`);
    expect(await ledgerIn(page, 'section[aria-label="EUR"]')).toEqual([
      ['Received', '€50.00'],
      ['Refunded', '€0.00'],
      ['Total', '€50.00'],
      ['Provider fees', 'not known yet'],
      ['Net at the bank', 'at most €50.00'],
    ]);
    await page.goto(`${app.url}/admin/donations/${donationId}`);
    await page.getByText('Net at the bank').waitFor();
    const rows = await ledgerIn(page, 'dialog');
    expect(rows.slice(-2).map(([, amount]) => amount)).toEqual(['not known yet', 'not known yet']);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the closing statement names cash of the dashboard as cash on site, not as online money', async () => {
    const { event } = await World.create(app, admin.token);
    await admin
      .post('/donations', { eventId: event.id, type: 'cash', amount: 4_000 })
      .set('Idempotency-Key', newId())
      .expect(201);
    const { page } = await openDesk(browser, app, `closing?event=${event.slug}`);
    const statement = page.getByRole('region', { name: 'EUR' });
    await statement.getByText('At the tills and in the dashboard').waitFor();
    expect(await statement.getByText('Online', { exact: true }).count()).toBe(0);
    await statement.getByText('Without a member (online or in the dashboard)').waitFor();
    await page.context().close();
  });
});
