import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type jsQR from 'jsqr';
import sharp from 'sharp';
import { startApp } from '../support/app.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { insertDonation } from '../support/donation-rows.js';
import { sql } from '../support/fixtures.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium, describeWithTool } from '../support/tools.js';
import { onFile, pdfText } from './tools.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

const SERVICE = 'https://give.example.org';
const { app, admin, event } = withEvent({
  start: () => startApp({ PUBLIC_URL: SERVICE, TRUST_PROXY: '1' }),
  fields: { name: 'Secret Supper', slug: 'secret-supper' },
});

const receiptOf = async (id: string) =>
  (await admin.get(`/export/receipts/${id}`).responseType('blob').expect(200)).body as Buffer;

const codesOf = (id: string) =>
  sql<{ check_code: string }>(app, 'SELECT check_code FROM receipt WHERE donation_id = $1 ORDER BY number', [
    id,
  ]);

/** Issues the receipt of a new donation. Returns the id of the donation and the code. */
async function issued(fields: Parameters<typeof insertDonation>[2] = {}) {
  const id = await insertDonation(app, event.id, {
    donorName: 'Ada Lovelace',
    message: 'For Grandma',
    ...fields,
  });
  await receiptOf(id);
  const [receipt] = await codesOf(id);
  return { id, code: receipt?.check_code ?? '' };
}

let address = 0;
/** Each test asks from its own address, because the checks of an address are limited. */
const newAddress = () => `198.51.100.${String(++address)}`;
const check = (code: string, from = newAddress()) => app.http.get(`/r/${code}`).set('X-Forwarded-For', from);

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Harbour Fund',
      locales: { default: 'en', supported: ['en', 'de'] },
      legal: { legalName: 'Harbour Children’s Fund e. V.', taxId: '17/123/45678' },
    })
    .expect(200);
});

describe('the check of a receipt', () => {
  it('says that a receipt is valid, without the donor, the message and the event', async () => {
    const { code } = await issued({ amount: 5_000 });
    const { body, headers } = await check(code).expect(200);
    expect(body).toEqual({
      state: 'valid',
      reason: null,
      period: null,
      since: null,
      number: expect.stringMatching(/^\d{4}-\d{6}$/),
      issuedAt: expect.any(String),
      givenAt: '2026-03-01T12:00:00.000Z',
      amount: 5_000,
      refundedAmount: 0,
      currency: 'eur',
      organization: 'Harbour Children’s Fund e. V.',
      taxId: '17/123/45678',
    });
    expect(headers['cache-control']).toBe('no-store');
    const page = await check(code).set('Accept', 'text/html').expect(200);
    for (const secret of ['Ada', 'ada@', 'Grandma', 'Secret', 'secret-supper'])
      expect(page.text).not.toContain(secret);
  });

  it('says since when a receipt is void, and why', async () => {
    const { id, code } = await issued();
    await admin.post(`/donations/${id}/cancel`, { shouldRefund: false, reason: 'Typed twice' }).expect(200);
    const { body } = await check(code).expect(200);
    expect(body).toMatchObject({ state: 'void', reason: 'cancelled', since: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('Typed twice');
    const refunded = await issued({ type: 'card', status: 'COMPLETED' });
    await sql(app, "UPDATE donation SET status = 'REFUNDED', refunded_amount = amount WHERE id = $1", [
      refunded.id,
    ]);
    expect((await check(refunded.code).expect(200)).body).toMatchObject({
      state: 'void',
      reason: 'refunded',
    });
  });

  it('shows the part that was refunded', async () => {
    const { code } = await issued({ type: 'card', amount: 5_000, refundedAmount: 2_000 });
    expect((await check(code).expect(200)).body).toMatchObject({
      state: 'valid',
      amount: 5_000,
      refundedAmount: 2_000,
    });
  });

  it('says that a corrected receipt was replaced, and the new receipt is valid', async () => {
    const { id } = await issued();
    await admin.patch(`/donations/${id}`, { donorName: 'Ada King' }).expect(200);
    await receiptOf(id);
    const [before, after] = await codesOf(id);
    expect((await check(before?.check_code ?? '').expect(200)).body).toMatchObject({ state: 'replaced' });
    expect((await check(after?.check_code ?? '').expect(200)).body).toMatchObject({ state: 'valid' });
  });

  it('reads a code as a person types it', async () => {
    const { code } = await issued();
    const typed = encodeURIComponent(
      code
        .toLowerCase()
        .replaceAll('0', 'o')
        .replace(/(.{5})(?=.)/g, '$1 '),
    );
    await check(typed).expect(200);
  });

  it.each(['x', '0'.repeat(20), '0'.repeat(5_000), '%00', "'%20OR%201=1", '..%2F..%2Fadmin'])(
    'answers 404 for the code %s',
    async (code) => {
      expect((await check(code).expect(404)).body).toMatchObject({ statusCode: 404 });
    },
  );

  it('refuses the 31st check of an address in a minute, also of a code that exists', async () => {
    const { code } = await issued();
    const from = newAddress();
    for (let checks = 0; checks < 30; checks++) await check(checks % 2 ? code : '0'.repeat(20), from);
    const { headers } = await check(code, from).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await check(code).expect(200);
  });
});

describeWithTool('pdftoppm', 'the printed code', () => {
  it('a phone reads the address from the picture, which is also printed in letters', async () => {
    const { id, code } = await issued();
    const pdf = await receiptOf(id);
    expect((await pdfText(pdf)).replaceAll('\n', '')).toContain(`Check this receipt: ${SERVICE}/r/${code}`);
    const page = Buffer.from(await onFile('pdftoppm', ['-r', '150', '-png', '{}'], pdf, 'latin1'), 'latin1');
    const { data, info } = await sharp(page).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(decode(new Uint8ClampedArray(data), info.width, info.height)?.data).toBe(`${SERVICE}/r/${code}`);
  });

  it('a receipt that was issued before receipts had codes prints none in its copies', async () => {
    const { id } = await issued();
    await sql(app, 'UPDATE receipt SET check_code = NULL WHERE donation_id = $1', [id]);
    expect(await pdfText(await receiptOf(id))).not.toContain('Check this receipt');
  });
});

describeWithChromium('the page of the check', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));

  it('is readable for everybody in every state', async () => {
    const valid = await issued({ amount: 5_000, refundedAmount: 2_000 });
    const cancelled = await issued();
    await admin
      .post(`/donations/${cancelled.id}/cancel`, { shouldRefund: false, reason: 'Typed twice' })
      .expect(200);
    const { page, problems } = await openPage(browser, { locale: 'de-DE' });
    for (const [name, code, heading] of [
      ['valid', valid.code, 'Diese Quittung ist gültig'],
      ['void', cancelled.code, 'Diese Quittung ist ungültig'],
      ['unknown', '0'.repeat(20), 'Es gibt keine Quittung mit diesem Code'],
    ] as const) {
      await page.goto(`${app.url}/r/${code}`);
      await page.getByRole('heading', { name: heading }).waitFor();
      for (const [screen, colorScheme] of [
        ['phone', 'light'],
        ['hd', 'dark'],
      ] as const) {
        await page.setViewportSize(SCREENS[screen]);
        await page.emulateMedia({ colorScheme });
        await takePicture(page, `receipt-check-${name}-${screen}-${colorScheme}`);
        expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    }
    expect(problems).toEqual([expect.stringContaining('404')]);
    await page.context().close();
  });
});
