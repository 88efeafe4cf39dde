import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { printedReference } from '../../src/common/banking/transfer-reference.js';
import { accessibilityProblems, launchBrowser, openPage, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

const ACCOUNT = {
  iban: 'CH5800791123000889012',
  bic: 'POFICHBEXXX',
  name: 'Haus am See',
  street: 'Seestrasse',
  buildingNumber: '1',
  postalCode: '8001',
  town: 'Zürich',
  country: 'CH',
};

describeWithChromium('bank transfers in the browser', (executablePath) => {
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp({}, { corsOrigins: ['*'] }),
    fields: { name: 'Winter Gala', slug: 'winter-gala' },
  });
  const browser = withOpened(() => launchBrowser(executablePath));

  const locales = { default: 'en', supported: ['en', 'de', 'fr', 'es', 'it', 'nl'] };
  const setUp = () => admin.patch('/settings/global', { transfer: ACCOUNT, locales }).expect(200);
  const transfers = () =>
    sql<{ id: string; number: bigint }>(
      app,
      'SELECT donation_id AS id, number FROM transfer ORDER BY number',
    );

  /** Reads the code on the page as a phone does. */
  async function scanned(page: Page): Promise<string> {
    const picture = await page.locator('.transfer__code svg').screenshot();
    const { data, info } = await sharp(picture)
      .resize(900)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const read = decode(new Uint8ClampedArray(data), info.width, info.height);
    return read ? Buffer.from(read.binaryData).toString('utf8') : '';
  }

  const choose = async (page: Page) => {
    await page.getByLabel('€25', { exact: true }).check();
    await page.getByRole('button', { name: 'Bank transfer' }).click();
    await page.getByRole('heading', { name: 'Please transfer your donation' }).waitFor();
  };

  it('a donor chooses the transfer, copies the details, scans the code, and sees the same donation after a reload and a return', async () => {
    await setUp();
    const opened = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, problems } = opened;
    await page.goto(`${app.url}/donate/winter-gala`);
    await choose(page);
    const before = await transfers();
    const details = await page.locator('.transfer__details').innerText();
    for (const shown of ['€25', 'Haus am See', 'CH58 0079 1123 0008 8901 2', 'POFICHBEXXX'])
      expect(details).toContain(shown);
    await page.getByText('Scan with your banking app').waitFor();
    const lines = (await scanned(page)).split('\n');
    expect(lines.slice(0, 9)).toEqual([
      ...['BCD', '002', '1', 'SCT', 'POFICHBEXXX', 'Haus am See', ACCOUNT.iban, 'EUR25.00', 'CHAR'],
    ]);
    const reference = lines[9] ?? '';
    expect(details).toContain(printedReference(reference));
    await page.getByRole('button', { name: 'Copy: Reference' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(reference);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'transfer-epc-1280');
    await page.reload();
    expect(await page.locator('.transfer__details').innerText()).toContain(printedReference(reference));
    await page.getByRole('link', { name: 'Pay in another way' }).click();
    await page.getByRole('button', { name: 'Bank transfer' }).click();
    await page.getByRole('heading', { name: 'Please transfer your donation' }).waitFor();
    expect(await page.locator('.transfer__details').innerText()).toContain(printedReference(reference));
    expect(await transfers()).toEqual(before);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('works without JavaScript, and a double click makes one donation', async () => {
    await setUp();
    const count = (await transfers()).length;
    const { page } = await openPage(browser, {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    await page.goto(`${app.url}/donate/winter-gala`);
    await page.getByLabel('€50', { exact: true }).check();
    await page.getByRole('button', { name: 'Bank transfer' }).dblclick();
    await page.getByRole('heading', { name: 'Please transfer your donation' }).waitFor();
    expect(await transfers()).toHaveLength(count + 1);
    await page.close();
  });

  it('shows the QR-bill in Swiss francs, in German on a dark phone, with its PDF', async () => {
    await setUp();
    const swiss = await createEvent(app, admin.token, { currency: 'chf', name: 'Wintergala' });
    const { page, problems } = await openPage(browser, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
      locale: 'de-CH',
    });
    await page.goto(`${app.url}/donate/${swiss.slug}?lang=de`);
    await page.getByLabel('Anderer Betrag').or(page.locator('#amount')).first().fill('1949.75');
    await page.getByRole('button', { name: 'Überweisung' }).click();
    await page.getByRole('heading', { name: 'Bitte überweisen Sie Ihre Spende' }).waitFor();
    expect((await scanned(page)).split('\n').slice(0, 4)).toEqual(['SPC', '0200', '1', ACCOUNT.iban]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'QR-Rechnung herunterladen (PDF)' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^qr-bill-RF\d+\.pdf$/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'transfer-qr-bill-390-dark');
    expect(problems).toEqual([]);
    await page.close();
  });

  it('offers no transfer without a bank account', async () => {
    await admin.patch('/settings/global', { transfer: null }).expect(200);
    const { page } = await openPage(browser);
    await page.goto(`${app.url}/donate/winter-gala`);
    await page.getByText('€25', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Bank transfer' }).count()).toBe(0);
    await page.close();
  });

  it('an administrator sets up the account, pastes a page of the bank and marks the transfers as received', async () => {
    await setUp();
    const open = async (donorName: string, amount: number) =>
      (
        await app.http
          .post('/donations/intent')
          .send({ amount, method: 'transfer', metadata: { eventId: event.id, donorName } })
          .expect(201)
      ).body as { donationId: string; transfer: { reference: string } };
    const [ada, grace, emmy] = [
      await open('Ada', 2_500),
      await open('Grace', 4_000),
      await open('Emmy', 6_000),
    ];
    const { page, problems } = await openDesk(browser, app, 'settings/transfer');
    expect(await page.getByLabel('IBAN').inputValue()).toBe('CH58 0079 1123 0008 8901 2');
    await page.getByLabel('IBAN').fill('CH58 0079 1123 0008 8901 3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Compare the IBAN with your bank statement').first().waitFor();
    // The browser reports the refusal.
    problems.splice(0);
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00');
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => {
      const { body } = await admin.get('/settings/global').expect(200);
      return (body as { transfer: { iban: string } }).transfer.iban === 'DE89370400440532013000';
    }, 'the saved account');
    expect(await lookAt(page, 'settings-transfer')).toEqual([]);

    await page.goto(`${app.url}/admin/donations`);
    await page.getByRole('button', { name: 'Bank transfers' }).click();
    const wrong = grace.transfer.reference.replace(/.$/, (last) => String((Number(last) + 1) % 10));
    await page
      .getByLabel('Text with references')
      .fill(
        `28.11. ${printedReference(ada.transfer.reference)} 25.00\n${wrong}\nRF18 5390 0754 7034\n${grace.transfer.reference}`,
      );
    await page.getByRole('button', { name: 'Find references' }).click();
    await page.getByText('4 references found').waitFor();
    for (const state of ['Typing mistake', 'Of another sender']) await page.getByText(state).waitFor();
    expect(await lookAt(page, 'paste-references')).toEqual([]);
    await page.getByRole('button', { name: 'Mark 2 as received · €65.00' }).click();
    await page.getByText('Already received').first().waitFor();
    const paid = await sql<{ status: string }>(
      app,
      'SELECT status FROM donation WHERE id = ANY($1::uuid[])',
      [[ada.donationId, grace.donationId]],
    );
    expect(paid).toEqual([{ status: 'COMPLETED' }, { status: 'COMPLETED' }]);
    await page.getByRole('link', { name: 'Show the open transfers' }).click();
    await page.getByRole('link', { name: 'Emmy' }).click();
    await page.getByRole('button', { name: 'Mark as received' }).click();
    await page.getByLabel('Received amount').fill('50');
    await page.getByLabel('The amounts differ. Which one is right?').waitFor();
    expect(await lookAt(page, 'receive-transfer')).toEqual([]);
    await page.getByRole('button', { name: 'Mark €50.00 as received' }).click();
    await until(async () => {
      const [row] = await sql<{ status: string; amount: bigint }>(
        app,
        'SELECT status, amount FROM donation WHERE id = $1',
        [emmy.donationId],
      );
      return row?.status === 'COMPLETED' && Number(row.amount) === 5_000;
    }, 'the received transfer');
    expect(problems).toEqual([]);
    await page.close();
  });
});
