import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import { expect, it } from '@jest/globals';
import sharp from 'sharp';
import { inFours } from '../../src/common/banking/iban.js';
import { printedReference } from '../../src/common/banking/transfer-reference.js';
import { codePng, codeRows, codeSvg } from '../../src/transfers/transfer-code.js';
import { onFile, pdfText } from '../export/tools.js';
import { createEvent } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithTool } from '../support/tools.js';
import { until } from '../support/until.js';

interface Intent {
  readonly donorToken: string;
  readonly donationId: string;
  readonly transfer: { readonly reference: string; readonly iban: string; readonly code: string };
}

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

const SWISS = {
  iban: 'CH4431999123000889012',
  name: 'Haus am See',
  street: 'Seestrasse',
  buildingNumber: '1',
  postalCode: '8001',
  town: 'Zürich',
  country: 'CH',
};
const mail = withOpened(() => MailServer.start());
const { app, admin } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
});

/** Reads the QR code of a picture, as a phone does. */
async function scanned(picture: Buffer): Promise<string> {
  const { data, info } = await sharp(picture)
    .flatten({ background: '#fff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const read = decode(new Uint8ClampedArray(data), info.width, info.height);
  return read ? Buffer.from(read.binaryData).toString('utf8') : '';
}

/** Draws the squares and rectangles of a code's SVG, without the SVG decoder that the service blocks. */
async function drawn(svg: string): Promise<Buffer> {
  const numbers = (pattern: RegExp) => [...svg.matchAll(pattern)].map((found) => found.slice(1));
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const boxes = [
    ...numbers(/M(\d+) (\d+)h1v1h-1z/g).map(([x, y]) => [x, y, '1', '1', '#000']),
    ...numbers(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="(#\w+)"/g),
  ];
  const scale = 10;
  const pixels = Buffer.alloc((side * scale) ** 2, 255);
  for (const [x, y, width, height, colour] of boxes) {
    const [left = 0, top = 0, right = 0, bottom = 0] = [
      x,
      y,
      Number(x) + Number(width),
      Number(y) + Number(height),
    ].map((edge) => Math.round(Number(edge) * scale));
    for (let line = top; line < bottom; line++)
      pixels.fill(colour === '#000' ? 0 : 255, line * side * scale + left, line * side * scale + right);
  }
  const raw = { width: side * scale, height: side * scale, channels: 1 } as const;
  return await sharp(pixels, { raw }).png().toBuffer();
}

const bytes = async (path: string) =>
  (await app.http.get(path).responseType('blob').expect(200)).body as Buffer;

async function swissIntent(metadata: object = {}, amount = 194_975): Promise<Intent> {
  const event = await createEvent(app, admin.token, { currency: 'chf', name: 'Winter Gala' });
  await admin.patch(`/events/${event.id}/settings`, { transfer: SWISS }).expect(200);
  const body = { amount, method: 'transfer', metadata: { eventId: event.id, ...metadata } };
  return (await app.http.post('/donations/intent').send(body).expect(201)).body as Intent;
}

it('the picture of a code is read by a scanner, also with the Swiss cross in its middle', async () => {
  const { transfer } = await swissIntent();
  for (const format of ['epc', 'qr_bill'] as const) {
    const rows = await codeRows(transfer.code);
    expect(await scanned(await drawn(codeSvg(rows, format)))).toBe(transfer.code);
    expect(await scanned(await codePng(rows, format))).toBe(transfer.code);
  }
});

it('the picture in the e-mail is read by a scanner and has the characters of the page, also after the upload of a logo', async () => {
  // After the first upload, `sharp` reads no SVG in this process.
  const logo = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  await admin.post('/images').set('Content-Type', 'image/png').send(logo).expect(201);
  const { transfer } = await swissIntent({ donorEmail: 'urs@example.org', locale: 'it' });
  await until(() => mail.to('urs@example.org').length === 1, 'the e-mail');
  const [picture] = mail.to('urs@example.org')[0]?.attachments ?? [];
  expect(await scanned(Buffer.from(picture?.content as ArrayBuffer))).toBe(transfer.code);
});

describeWithTool('pdftotext', 'the QR-bill', () => {
  it('has 210 × 105 mm, the printed details in the language of the donor, and a code with the same characters', async () => {
    const { donorToken, transfer } = await swissIntent({ locale: 'de-CH' });
    const pdf = await bytes(`/donations/mine/${donorToken}/qr-bill`);
    const info = await onFile('pdfinfo', ['{}'], pdf);
    const [, width, height] = /Page size:\s+([\d.]+) x ([\d.]+)/.exec(info) ?? [];
    expect((Number(width) / 72) * 25.4).toBeCloseTo(210, 0);
    expect((Number(height) / 72) * 25.4).toBeCloseTo(105, 0);
    const text = await pdfText(pdf);
    for (const words of [
      'Empfangsschein',
      'Zahlteil',
      'Konto / Zahlbar an',
      'Annahmestelle',
      'Zahlbar durch (Name/Adresse)',
    ])
      expect(text).toContain(words);
    for (const printed of [
      inFours(transfer.iban),
      printedReference(transfer.reference),
      '1 949.75',
      'Seestrasse 1',
      '8001 Zürich',
    ])
      expect(text.split(printed).length - 1).toBeGreaterThanOrEqual(2);
    expect(text).toContain('Winter Gala');
    const page = Buffer.from(await onFile('pdftoppm', ['-r', '200', '-png', '{}'], pdf, 'latin1'), 'latin1');
    expect(await scanned(page)).toBe(transfer.code);
  });

  it('names the bank transfer and the day of the money on the receipt of the donation', async () => {
    const { donationId } = await swissIntent({}, 2_500);
    const receivedOn = new Date().toISOString().slice(0, 10);
    await admin.post(`/donations/${donationId}/receive`, { amount: 2_500, receivedOn }).expect(200);
    const { body } = await admin.get(`/export/receipts/${donationId}`).responseType('blob').expect(200);
    expect(await pdfText(body as Buffer)).toContain('Bank transfer');
  });
});
