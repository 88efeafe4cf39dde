import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import type { DonationBody } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('Gift Aid in the dashboard, in a browser', (executablePath) => {
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp({}, { corsOrigins: ['*'] }),
    fields: { slug: 'lighthouse', name: 'A new roof for the lighthouse', currency: 'gbp' },
  });
  const browser = withOpened(() => launchBrowser(executablePath));

  beforeAll(async () => {
    await admin
      .patch('/settings/global', {
        timezone: 'Europe/London',
        legal: { legalName: 'Harbour Lights Trust' },
        donation: { fields: { address: 'optional', giftAid: true }, giftAidScope: 'past_and_future' },
      })
      .expect(200);
  });

  const look = async (page: Page, name: string) => {
    await page.evaluate('document.fonts.ready');
    await takePicture(page, `gift-aid-desk-${name}`);
    expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  };

  async function declared(donorEmail: string): Promise<string> {
    const { body: text } = await app.http.get(`/gift-aid/text?eventId=${event.id}`).expect(200);
    const { body } = await app.http
      .post('/donations/intent')
      .send({
        amount: 2500,
        currency: 'gbp',
        metadata: {
          eventId: event.id,
          donorEmail,
          locale: 'de',
          giftAid: true,
          giftAidDeclaration: {
            firstName: 'Ada',
            lastName: 'Lovelace',
            textDigest: (text as { digest: string }).digest,
          },
          address: { line1: '1 Quay Street', postcode: 'BS1 4QA', city: 'Bristol', country: 'GB' },
        },
      })
      .expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    return donationId;
  }

  it('an admin enters a paper declaration, reads its text and cancels it', async () => {
    const { body } = await admin
      .post('/donations', { amount: 5000, type: 'cash', eventId: event.id, donorName: 'Grace Hopper' })
      .expect(201);
    const { id } = body as DonationBody;
    const { page, problems } = await openDesk(browser, app, `donations/${id}`);
    const section = page.getByRole('region', { name: 'Gift Aid' });
    await section.getByText('There is no declaration for this donation.').waitFor();
    await section.getByRole('button', { name: 'Enter paper declaration' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enter paper declaration' });
    await dialog.getByText('I want to Gift Aid this donation and any donations').waitFor();
    expect(await dialog.getByLabel('First name').inputValue()).toBe('Grace');
    await dialog.getByLabel('House and street').fill('2 Quay Street');
    await dialog.getByLabel('Town or city').fill('Bristol');
    await dialog.getByLabel('Postcode').fill('12345');
    await dialog.getByLabel('Day of the signature').fill('2026-01-02');
    await look(page, 'enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    expect(await dialog.getByLabel('Postcode').getAttribute('aria-invalid')).toBe('true');
    await look(page, 'refused');
    await dialog.getByLabel('Postcode').fill('bs1 4qa');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await section.getByText('Counts as Gift Aid').waitFor();
    await section.getByText('On paper').waitFor();
    await section.getByText('BS1 4QA').waitFor();
    await section.getByText('Text of the declaration').click();
    await section.getByText('to Harbour Lights Trust.').waitFor();
    await look(page, 'paper');
    await section.getByRole('button', { name: 'Cancel declaration' }).click();
    const question = page.getByRole('dialog', { name: /Cancel the Gift Aid declaration of Grace Hopper/ });
    await question.getByLabel(/Reason/).fill('Letter of 3 March');
    await question.getByRole('button', { name: 'Cancel declaration' }).click();
    await question.waitFor({ state: 'detached' });
    await section.getByText('Letter of 3 March').waitFor();
    expect(
      await sql(app, 'SELECT cancel_reason FROM gift_aid_declaration WHERE donation_id = $1', [id]),
    ).toEqual([{ cancel_reason: 'Letter of 3 March' }]);
    // The server refuses the wrong postcode; the browser reports this answer as an error.
    expect(problems.filter((text) => !text.includes('400'))).toEqual([]);
    await page.context().close();
  });

  it('the dashboard says in German what an erasure keeps and until when, before and after it', async () => {
    const donorEmail = `ada-${newId()}@example.org`;
    const id = await declared(donorEmail);
    await sql(
      app,
      "UPDATE donation SET created_at = '2026-05-01T12:00:00Z', completed_at = '2026-05-01T12:00:00Z' WHERE id = $1",
      [id],
    );
    const { body } = await admin.get(`/donors?search=${encodeURIComponent(donorEmail)}`).expect(200);
    const [{ key } = { key: '' }] = (body as { data: { key: string }[] }).data;
    const kept = 'Gift-Aid-Erklärung bleibt bis zum 05.04.2033, weil die britische Steuerbehörde';
    const { page, problems } = await openDesk(browser, app, `donors/${key}`, { viewport: SCREENS.phone });
    await page.evaluate("localStorage.setItem('desk.language', 'de')");
    await page.reload();
    await page.getByRole('button', { name: 'Spender löschen' }).click();
    const question = page.getByRole('dialog', { name: /löschen\?/ });
    await question.getByText(kept).waitFor();
    await look(page, 'erase-de');
    await question.getByRole('button', { name: 'Spender löschen' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Gelöschter Spender' }).getByText(kept).waitFor();
    await look(page, 'erased-de');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('an accountant downloads the Gift Aid list and can neither enter nor cancel a declaration', async () => {
    const id = await declared(`ada-${newId()}@example.org`);
    const { page } = await openDesk(browser, app, `donations/${id}`, { role: 'ACCOUNTANT' });
    const section = page.getByRole('region', { name: 'Gift Aid' });
    await section.getByText('Counts as Gift Aid').waitFor();
    await section.getByText('Deutsch').waitFor();
    expect(await section.getByRole('button').count()).toBe(0);
    await look(page, 'online');
    await page.goto(`${app.url}/admin/donors`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Gift Aid list' }).click();
    expect((await download).suggestedFilename()).toMatch(/^gift-aid(-\d{4}-\d\d-\d\d)?\.csv$/);
    await page.context().close();
  });
});
