import { expect, it } from '@jest/globals';
import { startPaymentsApp } from '../support/payments.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { sql } from '../support/fixtures.js';
import { insertDonation } from '../support/donation-rows.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('payment methods in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, event } = withEvent({ start: () => startPaymentsApp({}, { corsOrigins: ['*'] }) });

  const donate = async (
    amount: number,
    type: string,
    method: string | null,
    wallet: string | null = null,
  ) => {
    const id = await insertDonation(app, event.id, { amount, type });
    await sql(app, 'UPDATE donation SET method = $2, wallet = $3 WHERE id = $1', [id, method, wallet]);
    return id;
  };

  it('the donation list, its filter, the donation sheet and the page Closing show the payment method', async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 5_000, metadata: { eventId: event.id, donorName: 'Ada' } })
      .expect(201);
    const { donationId: ideal, clientSecret, donorToken } = body as Record<string, string>;
    app.sandbox.stripe.pay(clientSecret!, { method: 'ideal' });
    await app.sandbox.settled();
    await app.http.get(`/donate/${event.slug}/thanks?donation=${donorToken}`).expect(200);
    await donate(4_000, 'card', 'card', 'apple_pay');
    await donate(3_000, 'card', 'sepa_debit');
    await donate(2_000, 'card', null);
    await donate(1_000, 'card', `<b>${'moon_'.repeat(7)}`);
    await donate(1_500, 'wallet', 'venmo');
    await donate(9_000, 'cash', null);
    const { page, problems } = await openDesk(browser, app, `donations?event=${event.slug}`);
    await page.getByText('iDEAL').first().waitFor();
    const list = page.getByRole('table');
    for (const shown of ['Card (Apple Pay)', 'SEPA Direct Debit', 'Venmo', '<b>moon_', 'Cash'])
      expect(await list.getByText(shown).count()).toBeGreaterThan(0);
    expect(await lookAt(page, 'methods-list')).toEqual([]);

    await page.getByRole('button', { name: /filter/i }).click();
    await page.getByLabel('Payment method').selectOption({ label: 'Apple Pay' });
    await list.getByText('Venmo').waitFor({ state: 'detached' });
    expect(await list.getByText('Card (Apple Pay)').count()).toBe(1);
    await page.goto(`${app.url}/admin/donations?event=${event.slug}&method=venmo`);
    await list.getByText('Venmo').waitFor();
    expect(await list.getByText('iDEAL').count()).toBe(0);

    await page.goto(`${app.url}/admin/donations/${ideal}?lang=de`);
    await page.getByText('Zahlungsart', { exact: true }).waitFor();
    expect(await page.locator('.facts').first().innerText()).toMatch(/Zahlungsart\s+iDEAL/);
    expect(await lookAt(page, 'methods-sheet')).toEqual([]);

    await page.goto(`${app.url}/admin/closing?event=${event.slug}&lang=de`);
    const kinds = page.locator('table.sum', { hasText: 'Nach Art' });
    await kinds.waitFor();
    const rows = await kinds.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\t/)[0]?.trim())).toEqual([
      'Karte',
      'iDEAL',
      'Karte (Apple Pay)',
      'SEPA-Lastschrift',
      'Zahlungsart nicht bekannt',
      `<b>${'moon_'.repeat(7)}`,
      'Bargeld',
      'PayPal',
      'Venmo',
    ]);
    await kinds.scrollIntoViewIfNeeded();
    expect(await lookAt(page, 'methods-closing')).toEqual([]);
    expect(problems).toEqual([]);
  });
});
