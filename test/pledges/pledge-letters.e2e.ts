import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import { expect, it } from '@jest/globals';
import sharp from 'sharp';
import { newId } from '../../src/common/crypto/ids.js';
import { errorBody } from '../support/bearer.js';
import { onFile, pdfText } from '../export/tools.js';
import { createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { recordPledge, someAddress } from '../support/pledges.js';
import { withEvent } from '../support/setup.js';
import { describeWithTool } from '../support/tools.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

const { app, admin, event } = withEvent({
  start: () => startPaymentsApp({ PUBLIC_URL: 'https://give.example.org' }),
  fields: { name: 'Winter Gala' },
  each: true,
});
const pledge = (fields: object = {}) => recordPledge(admin, { eventId: event.id, ...fields });
const LONG = 'Wilhelmina Alexandra Featherstonehaugh Cholmondeley Marjoriba';

const letters = async (donationIds: string[], fields: object = {}) =>
  (
    await admin
      .post('/pledges/letters', { donationIds, ...fields })
      .responseType('blob')
      .expect(200)
      .expect('content-type', 'application/pdf')
  ).body as Buffer;
const pagesOf = async (pdf: Buffer) =>
  Number(/Pages:\s+(\d+)/.exec(await onFile('pdfinfo', ['{}'], pdf))?.[1]);
const words = async (pdf: Buffer) => (await pdfText(pdf)).replace(/\s+/g, ' ');

/** The text of the first code on a page of a PDF. */
async function codeOn(pdf: Buffer, page: number) {
  const args = ['-r', '150', '-png', '-f', String(page), '-l', String(page), '{}'];
  const picture = Buffer.from(await onFile('pdftoppm', args, pdf, 'latin1'), 'latin1');
  const { width, height } = await sharp(picture).metadata();
  // The lower part of the page may have further codes, which would confuse the reader.
  const part = { left: 0, top: Math.floor(height * 0.45), width, height: Math.floor(height * 0.188) };
  const { data, info } = await sharp(picture)
    .extract(part)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return decode(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

/** Part of a page: the bottom 105 mm of A4, without the receipt. */
const QR_BILL = { left: 62 / 210, top: 192 / 297, width: 56 / 210, height: 105 / 297 };

/** Reads the codes on a page of a PDF, one for each strip of the page. */
async function codesOn(pdf: Buffer, page: number, area?: typeof QR_BILL): Promise<string[]> {
  const args = ['-r', '200', '-png', '-f', String(page), '-l', String(page), '{}'];
  const picture = Buffer.from(await onFile('pdftoppm', args, pdf, 'latin1'), 'latin1');
  const { width, height } = await sharp(picture).metadata();
  const strips = Array.from({ length: 13 }, (_, index) => ({
    left: 0.08,
    top: 0.35 + index * 0.04,
    width: 0.3,
    height: 0.16,
  }));
  const found = new Set<string>();
  for (const strip of area ? [area] : strips) {
    const { data, info } = await sharp(picture)
      .extract({
        left: Math.round(strip.left * width),
        top: Math.round(strip.top * height),
        width: Math.round(strip.width * width),
        height: Math.min(Math.round(strip.height * height), height - Math.round(strip.top * height)),
      })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const read = decode(new Uint8ClampedArray(data), info.width, info.height);
    if (read) found.add(Buffer.from(read.binaryData).toString('utf8'));
  }
  return [...found];
}

describeWithTool('pdftotext', 'POST /pledges/letters', () => {
  it('writes a letter with name, amount, event, and a code that pays the pledge', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, {
        organization: 'Haus am See',
        legal: {
          legalName: 'Haus am See e.V.',
          address: 'Uferweg 1\n10115 Berlin',
          signatory: 'Grace Hopper, Treasurer',
        },
      })
      .expect(200);
    const id = await pledge({ donorName: LONG });
    const pdf = await letters([id]);
    expect(await pagesOf(pdf)).toBe(1);
    const text = await words(pdf);
    for (const part of [
      'Haus am See e.V. · Uferweg 1 · 10115 Berlin',
      `Dear ${LONG},`,
      '€500.00',
      'Winter Gala',
      'Grace Hopper, Treasurer',
      'If you cannot keep the pledge, please tell us.',
    ])
      expect(text).toContain(part);
    // Once in the address window, once in the greeting.
    expect(text.replaceAll(' ', '').split(LONG.replaceAll(' ', ''))).toHaveLength(3);
    const link = (await codeOn(pdf, 1)) ?? '';
    expect(text.replaceAll(' ', '')).toContain(link);
    const token = new URL(link).searchParams.get('pledge');
    await app.http
      .post('/donations/intent')
      .send({ amount: 50_000, metadata: { eventId: event.id, pledgeToken: token } })
      .expect(201);
    const { body: audit } = await admin.get('/audit?action=pledge.letters').expect(200);
    expect((audit as { data: object[] }).data[0]).toMatchObject({ subjectId: id, detail: { pledges: 1 } });
    const { body: open } = await admin.get(`/pledges/open?eventId=${event.id}`).expect(200);
    expect(open).toMatchObject({ data: [{ lastContact: { kind: 'letter', state: null } }] });
  });

  it('writes many letters as one file, one for each donor, each in the language of its donor', async () => {
    await admin
      .patch('/settings/global', { locales: { default: 'en', supported: ['en', 'de', 'ar'] } })
      .expect(200);
    const to = someAddress();
    const [first, second, german, arabic, paid] = [
      await pledge({ donorEmail: to, amount: 50_000 }),
      await pledge({ donorEmail: to, amount: 20_000 }),
      await pledge({ donorName: 'Jürgen Müller', amount: 3_000 }),
      await pledge({ donorName: 'أمل الخطيب', amount: 4_000 }),
      await pledge({ donorName: 'Paid Already' }),
    ];
    await sql(app, "UPDATE donation SET locale = 'de' WHERE id = $1", [german]);
    await sql(app, "UPDATE donation SET locale = 'ar' WHERE id = $1", [arabic]);
    await admin.post(`/donations/${paid}/fulfil`, { type: 'cash' }).expect(200);
    const pdf = await letters([first, second, german, arabic, paid]);
    expect(await pagesOf(pdf)).toBe(3);
    const text = await words(pdf);
    expect(text).toContain('€700.00 in total');
    expect(text).toContain('Guten Tag Jürgen Müller,');
    expect(text).toContain('30,00 €');
    expect(text).toMatch(/أمل|ﺃﻣﻞ|أﻣﻞ/);
    expect(text).not.toContain('Paid Already');
    for (const page of [1, 2, 3]) expect(await codeOn(pdf, page)).toMatch(/\?pledge=/);
    const inFrench = await words(await letters([german], { language: 'fr' }));
    expect(inFrench).toContain('Votre promesse de don');
  });

  it('writes the address of the donor, and a letter without a code for an event that takes no payments', async () => {
    const id = await pledge({ donorName: 'Ada' });
    await sql(app, "UPDATE donation SET donor_address = E'Main Street 1\\nArlington' WHERE id = $1", [id]);
    await sql(app, "UPDATE event SET status = 'archived' WHERE id = $1", [event.id]);
    const text = await words(await letters([id]));
    expect(text).toContain('Ada Main Street 1 Arlington');
    expect(text).toContain('Please contact us about the payment.');
    expect(text).not.toContain('?pledge=');
  });

  it('prints the bank details of a pledge in euros, with an EPC code of the same characters', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, {
        transfer: { iban: 'DE89370400440532013000', name: 'Haus am See' },
      })
      .expect(200);
    const id = await pledge({ donorName: 'Ada' });
    const pdf = await letters([id]);
    expect(await pagesOf(pdf)).toBe(1);
    const code = (await codesOn(pdf, 1)).find((one) => one.startsWith('BCD')) ?? '';
    const [, , , , , holder = '', iban = '', amount, , reference = ''] = code.split('\n');
    const text = (await words(pdf)).replaceAll(' ', '');
    expect([holder, amount]).toEqual(['Haus am See', 'EUR500.00']);
    for (const printed of [iban, reference, 'Bybanktransfer', 'Scanwithyourbankingapp'])
      expect(text).toContain(printed);
    const { body } = await admin.post('/transfers/search', { text: await pdfText(pdf) }).expect(200);
    expect(body).toMatchObject({ found: [{ state: 'open', donation: { id } }] });
    await admin.patch(`/events/${event.id}/settings`, { transfer: { epcCode: false } }).expect(200);
    const plain = await letters([id]);
    expect((await words(plain)).replaceAll(' ', '')).toContain(reference);
    expect((await codesOn(plain, 1)).filter((one) => one.startsWith('BCD'))).toEqual([]);
  });

  it('prints a QR-bill of 105 mm at the bottom of the last page for a pledge in Swiss francs', async () => {
    const swiss = await createEvent(app, admin.token, { currency: 'chf', name: 'Winter Gala' });
    await admin
      .patch(`/events/${swiss.id}/settings`, {
        organization: 'Haus am See',
        locales: { default: 'de', supported: ['de'] },
        transfer: {
          iban: 'CH4431999123000889012',
          name: 'Haus am See',
          street: 'Seestrasse',
          buildingNumber: '1',
          postalCode: '8001',
          town: 'Zürich',
          country: 'CH',
        },
      })
      .expect(200);
    const id = await recordPledge(admin, { eventId: swiss.id, donorName: 'Urs Meier' });
    const pdf = await letters([id]);
    const pages = await pagesOf(pdf);
    const bill = (await codesOn(pdf, pages, QR_BILL)).find((one) => one.startsWith('SPC')) ?? '';
    const [, , , iban = ''] = bill.split('\n');
    const reference = bill.split('\n')[28] ?? '';
    const text = (await words(pdf)).replaceAll(' ', '');
    expect(text.split(iban)).toHaveLength(3);
    expect(text.split(reference)).toHaveLength(3);
    for (const printed of ['Zahlteil', 'Empfangsschein', 'UrsMeier']) expect(text).toContain(printed);
    expect(bill).toContain('500.00\nCHF');
  });

  it('refuses unknown pledges, pledges that are not open, and no or too many ids', async () => {
    const paid = await pledge();
    await admin.post(`/donations/${paid}/fulfil`, { type: 'cash' }).expect(200);
    expect((await admin.post('/pledges/letters', { donationIds: [paid] }).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'PLEDGE_NOT_OPEN'),
    );
    await admin.post('/pledges/letters', { donationIds: [newId()] }).expect(404);
    for (const body of [
      {},
      { donationIds: [] },
      { donationIds: [paid], language: 'xx' },
      { donationIds: [paid], x: 1 },
    ])
      await admin.post('/pledges/letters', body).expect(400);
  });
});
