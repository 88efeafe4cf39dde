import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import type { DonationBody } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('Gift Aid in the dashboard, in a browser', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp(mail.environment, { corsOrigins: ['*'], mailTimes: FAST_MAIL }),
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
    await page.getByRole('link', { name: 'Gift Aid' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Gift Aid list' }).click();
    expect((await download).suggestedFilename()).toMatch(/^gift-aid(-\d{4}-\d\d-\d\d)?\.csv$/);
    await page.getByText('There are no claims yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Make a claim' }).count()).toBe(0);
    await page.context().close();
  });

  it('an admin sees the number and the sum of a claim before, makes it, downloads its schedule and sees its adjustments', async () => {
    const donorEmail = `ada-${newId()}@example.org`;
    const [id, costly] = [await declared(donorEmail), await declared(donorEmail)];
    await admin
      .patch(`/donations/${costly}`, { benefitValue: 2_500, benefitText: 'Auction item' })
      .expect(200);
    for (const one of [id, costly])
      await sql(app, 'UPDATE donation SET created_at = $2, completed_at = $2 WHERE id = $1', [
        one,
        '2024-05-01T12:00:00Z',
      ]);
    const { page, problems } = await openDesk(browser, app, 'donors/gift-aid');
    const make = page.getByRole('button', { name: 'Make a claim' });
    const dialog = page.getByRole('dialog', { name: 'Make a claim' });
    const choose = async (first: string, last: string) => {
      await dialog.getByLabel('First day').fill(first);
      await dialog.getByLabel('Last day').fill(last);
    };
    await make.click();
    expect(await dialog.getByLabel('First day').inputValue()).toMatch(/^20\d\d-04-06$/);
    await choose('2024-04-06', '2024-04-30');
    await dialog.getByText('There is nothing to claim for these days.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Make a claim' }).isDisabled()).toBe(true);
    await choose('2024-04-06', '2024-05-31');
    await dialog.getByText('1 donation, £25.00. Gift Aid on it: £6.25').waitFor();
    await dialog.getByText('1 donation is left out: the donor received a benefit').waitFor();
    await dialog.getByText('Leave donations out').click();
    const choice = dialog.getByLabel('Donation of Ada Lovelace, £25.00');
    await choice.selectOption('company');
    await dialog.getByText('1 donation is left out: £25.00').waitFor();
    expect(await dialog.getByRole('button', { name: 'Make a claim' }).isDisabled()).toBe(true);
    await look(page, 'claim');
    await choice.selectOption('none');
    await dialog.getByRole('button', { name: 'Make a claim' }).click();
    await dialog.waitFor({ state: 'detached' });
    const claims = page.getByRole('region', { name: 'Claims' });
    await claims.getByText('Claim 1', { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await claims.getByRole('button', { name: 'Download the schedule of claim 1' }).click();
    expect((await download).suggestedFilename()).toBe('gift-aid-claim-1.ods');
    await admin.post(`/donations/${id}/cancel`, { shouldRefund: true }).expect(200);
    await app.sandbox.settled();
    await page.evaluate("localStorage.setItem('desk.language', 'de')");
    await page.setViewportSize(SCREENS.phone);
    await page.reload();
    const adjustments = page.getByRole('region', { name: 'Berichtigungen' });
    await adjustments.getByRole('link', { name: '25,00 £ erstattet' }).waitFor();
    const small = page.getByRole('region', { name: 'Kleine Spenden (GASDS)' });
    await small.getByText('Hier nicht bekannt: der Tag der Einzahlung').waitFor();
    await look(page, 'claims-de');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a claim of more than 1,000 donations takes the next ones for those that are left out', async () => {
    const id = await declared(`many-${newId()}@example.org`);
    await sql(app, 'UPDATE donation SET created_at = $2, completed_at = $2 WHERE id = $1', [
      id,
      '2024-08-01T12:00:00Z',
    ]);
    await sql(
      app,
      `INSERT INTO donation SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'payment_id', gen_random_uuid(), 'capture_id', gen_random_uuid(), 'receipt_number', NULL))).*
       FROM donation d, generate_series(1, 1001) WHERE d.id = $1`,
      [id],
    );
    const { page } = await openDesk(browser, app, 'donors/gift-aid');
    await page.getByRole('button', { name: 'Make a claim' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make a claim' });
    await dialog.getByLabel('First day').fill('2024-08-01');
    await dialog.getByLabel('Last day').fill('2024-08-31');
    await dialog.getByText('1,000 donations').waitFor();
    await dialog.getByText('Leave donations out').click();
    await dialog.getByLabel('Donation of Ada Lovelace, £25.00').first().selectOption('company');
    await dialog.getByText('The claim takes the next donations in their place').waitFor();
    await dialog.getByRole('button', { name: 'Make a claim' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await admin.get('/gift-aid/claims').expect(200);
    expect((body as { data: object[] }).data[0]).toMatchObject({ donations: 1_000, amount: 2_500_000 });
    await page.context().close();
  });

  it('a treasurer enables German receipts, sees what is missing, asks for it, sends the receipt and sees what an erasure keeps', async () => {
    const donorEmail = `hedwig-${newId()}@example.org`;
    const fair = await createEvent(app, admin.token, { name: 'Harbour fair', currency: 'eur' });
    const gift = { eventId: fair.id, amount: 5_000, type: 'cash', donorName: 'Hedwig Holm', donorEmail };
    const { body } = await admin.post('/donations', gift).expect(201);
    const { id } = body as DonationBody;
    const { page, problems } = await openDesk(browser, app, 'settings/taxReceipts');
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').first().waitFor();
    };
    const missing = page.getByRole('region', { name: 'Tax receipts' });
    const closing = () => page.goto(`${app.url}/admin/closing?event=${fair.slug}`);
    await page.getByLabel('The tax office accepts the receipts in').selectOption('de');
    await save();
    await closing();
    await missing.getByText('1 donation gets no receipt yet').waitFor();
    for (const fact of ['Tax office', 'Tax number', 'Place of issue', 'Address'])
      await missing.getByText(new RegExp(`^${fact}.*: missing$`)).waitFor();
    await page.goto(`${app.url}/admin/settings/taxReceipts`);
    await page.getByLabel('Tax office (without “Finanzamt”)').fill('Hamburg-Nord');
    await page.getByLabel('Tax number').fill('17/412/34567');
    await page.getByLabel('Date of the notice').fill(`${new Date().getUTCFullYear()}-01-02`);
    await page.getByLabel('Last assessment period').fill('2022 bis 2024');
    await page.getByLabel('Purposes with tax benefits').fill('der Jugendhilfe');
    await page.getByLabel('Place of issue').fill('Hamburg');
    await save();
    await page.goto(`${app.url}/admin/settings/organization`);
    await page.getByLabel('Postal address').fill('Am Sandtorkai 12\n20457 Hamburg');
    await save();
    await closing();
    await missing.getByText(/address.*: missing$/i).waitFor();
    expect(await missing.locator('.lines').first().locator('li').count()).toBe(1);
    await missing.getByRole('button', { name: 'Ask by e-mail for the address' }).click();
    await page.getByText('1 donor was asked.').first().waitFor();
    await until(() => mail.to(donorEmail).length === 1, 'the request for the address');
    await admin.patch(`/donations/${id}`, { donorAddress: 'Lindenstraße 7\n10969 Berlin' }).expect(200);
    await closing();
    await missing.getByText('The receipts of all completed donations can be issued.').waitFor();
    await page.goto(`${app.url}/admin/donations/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'E-mail receipt' }).click();
    await page.getByText(`The receipt is on its way to ${donorEmail}.`).first().waitFor();
    await until(() => mail.to(donorEmail).length === 2, 'the receipt');

    const { body: found } = await admin.get(`/donors?search=${encodeURIComponent(donorEmail)}`).expect(200);
    const [{ key } = { key: '' }] = (found as { data: { key: string }[] }).data;
    await page.evaluate("localStorage.setItem('desk.language', 'de')");
    await page.setViewportSize(SCREENS.phone);
    await page.goto(`${app.url}/admin/donors/${key}`);
    const kept = `1 Quittung für das Finanzamt bleibt bis zum 31.12.${new Date().getUTCFullYear() + 10} verschlüsselt`;
    await page.getByRole('button', { name: 'Spender löschen' }).click();
    const question = page.getByRole('dialog', { name: /löschen\?/ });
    await question.getByText(kept).waitFor();
    await look(page, 'erase-receipt-de');
    await question.getByRole('button', { name: 'Spender löschen' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Gelöschter Spender' }).getByText(kept).waitFor();
    await page.context().close();

    const auditor = await openDesk(browser, app, 'donors', { role: 'ACCOUNTANT' });
    await auditor.page.getByRole('button', { name: 'Sealed receipts' }).click();
    const sheet = auditor.page.getByRole('dialog', { name: 'Sealed receipts' });
    await sheet.getByText('Valid').waitFor();
    expect(await sheet.getByText('Hedwig Holm').count()).toBe(0);
    await sheet.getByRole('button', { name: /^Open receipt/ }).click();
    await sheet.getByText('Hedwig Holm').waitFor();
    await look(auditor.page, 'sealed');
    const copy = auditor.page.waitForEvent('download');
    await sheet.getByRole('button', { name: /^Copy of receipt/ }).click();
    expect((await copy).suggestedFilename()).toMatch(/^receipt-\d{4}-\d{6}\.pdf$/);
    await sql(app, "UPDATE sealed_receipt SET sealed = decode('00', 'hex')");
    await auditor.page.evaluate("localStorage.setItem('desk.language', 'de')");
    await auditor.page.setViewportSize(SCREENS.phone);
    await auditor.page.reload();
    await auditor.page.getByRole('button', { name: 'Versiegelte Quittungen' }).click();
    await auditor.page.getByRole('button', { name: /^Quittung .* öffnen$/ }).click();
    await auditor.page.getByText('Der Schlüssel dieser Quittung fehlt').waitFor();
    await look(auditor.page, 'sealed-unreadable-de');
    expect(problems).toEqual([]);
    await auditor.page.context().close();
    await admin.patch('/settings/global', { receipts: { pack: null }, legal: { de: null } }).expect(200);
  });
});
