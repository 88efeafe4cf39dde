import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import { expect, it } from '@jest/globals';
import sharp, { type Region } from 'sharp';
import { AppConfig } from '../../src/config/app-config.js';
import { as, errorBody } from '../support/bearer.js';
import { onFile, pdfText } from '../export/tools.js';
import { withEvent, withStaff } from '../support/setup.js';
import { describeWithTool, itWithTool } from '../support/tools.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { each: true });

const publicUrl = () => app.app.get(AppConfig).publicUrl;
const file = async (path: string) =>
  (
    await admin
      .get(`/events/${event.slug}/${path}`)
      .buffer(true)
      .parse((response, done) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => done(null, Buffer.concat(parts)));
      })
      .expect(200)
      .expect('content-type', 'application/pdf')
  ).body as Buffer;

/** Draws the first page of a PDF and returns the text of the QR code in a part of the page. */
async function codeOf(pdf: Buffer, part: (size: { width: number; height: number }) => Region) {
  const picture = Buffer.from(
    await onFile('pdftoppm', ['-r', '100', '-png', '-f', '1', '-l', '1', '{}'], pdf, 'latin1'),
    'latin1',
  );
  const { width, height } = await sharp(picture).metadata();
  const { data, info } = await sharp(picture)
    .extract(part({ width, height }))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return decode(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

const whole = ({ width, height }: { width: number; height: number }) => ({ left: 0, top: 0, width, height });
const sizes = async (pdf: Buffer) =>
  /Page size:\s+([\d.]+) x ([\d.]+)/
    .exec(await onFile('pdfinfo', ['{}'], pdf))
    ?.slice(1)
    .map(Number);
const pages = async (pdf: Buffer) => Number(/Pages:\s+(\d+)/.exec(await onFile('pdfinfo', ['{}'], pdf))?.[1]);

describeWithTool('pdftotext', 'GET /events/:id/poster', () => {
  it('draws a poster with the address and a code that leads to the donate page', async () => {
    const pdf = await file('poster');
    expect(await sizes(pdf)).toEqual([595.28, 841.89]);
    const text = await pdfText(pdf);
    expect(text).toContain('Scan and give');
    // A long address has two lines, and pdftotext removes a hyphen at the end of a line.
    expect(text.replace(/[\s-]/g, '')).toContain(`/donate/${event.slug.replaceAll('-', '')}`);
    expect(await codeOf(pdf, whole)).toBe(`${publicUrl()}/donate/${event.slug}?from=poster`);
  });

  it('draws a poster on A3 and in other languages', async () => {
    expect(await sizes(await file('poster?paper=a3'))).toEqual([841.89, 1190.55]);
    expect(await pdfText(await file('poster?language=de'))).toContain('Scannen und spenden');
    await file('poster?language=ar');
    for (const wrong of ['paper=a5', 'language=xx', 'size=a4'])
      await admin.get(`/events/${event.slug}/poster?${wrong}`).expect(400);
  });

  it('fits a long name, a name in Arabic and a name with emoji', async () => {
    for (const name of [
      'A very long name of a fundraising evening in the harbour '.repeat(3).trim(),
      'حفل الخير السنوي',
      'Gala 👨‍👩‍👧 2026',
    ]) {
      await admin.patch(`/events/${event.id}`, { name }).expect(200);
      expect(await pages(await file('poster'))).toBe(1);
    }
  });

  itWithTool('qpdf', 'is a correct PDF', async () => {
    for (const path of ['poster', 'poster?paper=a3', 'table-cards?from=1&to=5'])
      expect(await onFile('qpdf', ['--check', '{}'], await file(path))).toContain(
        'No syntax or stream encoding errors',
      );
  });

  it('is closed to volunteers', async () => {
    await as(app, maria.token).get(`/events/${event.slug}/poster`).expect(403);
    await admin.get('/events/no-such-event/poster').expect(404);
  });
});

describeWithTool('pdftotext', 'GET /events/:id/table-cards', () => {
  it('draws one card for each table, four on a page, with the table in the code', async () => {
    const pdf = await file('table-cards?from=7&to=15');
    expect(await pages(pdf)).toBe(3);
    expect(await pdfText(pdf)).toMatch(/Table 7[^]*Table 15/);
    const quarter = ({ width, height }: { width: number; height: number }) => ({
      left: Math.floor(width / 2),
      top: 0,
      width: Math.floor(width / 2),
      height: Math.floor(height / 2),
    });
    expect(await codeOf(pdf, quarter)).toBe(`${publicUrl()}/donate/${event.slug}?from=table-8`);
  });

  it('draws cards for named tables, also for names without Latin letters', async () => {
    const pdf = await file(`table-cards?names=${encodeURIComponent('Größe & Glück, الورد')}`);
    expect(await pages(pdf)).toBe(1);
    expect(await pdfText(pdf)).toContain('Größe & Glück');
    const first = ({ width, height }: { width: number; height: number }) => ({
      left: 0,
      top: 0,
      width: Math.floor(width / 2),
      height: Math.floor(height / 2),
    });
    expect(await codeOf(pdf, first)).toBe(`${publicUrl()}/donate/${event.slug}?from=table-gro-e-gluck`);
  });

  it('draws at most 200 cards', async () => {
    expect(await pages(await file('table-cards?from=1&to=200'))).toBe(50);
    for (const wrong of [
      'from=1&to=201',
      'from=5&to=4',
      'from=0',
      'from=x',
      `names=${'a,'.repeat(201)}`,
      `names=${'x'.repeat(41)}`,
    ])
      expect((await admin.get(`/events/${event.slug}/table-cards?${wrong}`)).body).toEqual(
        errorBody(400, 'Bad Request', 'VALIDATION_FAILED'),
      );
  });
});

describeWithTool('pdftotext', 'GET /events/:id/guests/print', () => {
  const add = (fields: object) => admin.post(`/events/${event.id}/guests`, fields).expect(201);

  it('lists the guests by table in natural order, or by name, with their paddles', async () => {
    await add({ name: 'Zoë Müller', table: '10', paddle: '117', note: 'Vegetarian' });
    await add({ name: 'Ada Lovelace', table: '2', seat: '4' });
    await add({ name: 'Bob Jones' });
    const byTable = await pdfText(await file('guests/print'));
    expect(byTable).toMatch(/Table 2 \(1\)[^]*Table 10 \(1\)[^]*Without a table \(1\)/);
    for (const text of ['Zoë Müller', '117', 'Vegetarian', 'Bob Jones']) expect(byTable).toContain(text);
    const byName = await pdfText(await file('guests/print?order=name&language=de'));
    expect(byName).toMatch(/Gästeliste[^]*Ada Lovelace[^]*Bob Jones[^]*Zoë Müller/);
    await admin.get(`/events/${event.slug}/guests/print?order=paddle`).expect(400);
    await as(app, maria.token).get(`/events/${event.slug}/guests/print`).expect(403);
  });

  itWithTool('qpdf', 'has as many pages as the guests need, and is a correct PDF', async () => {
    const rows = Array.from({ length: 120 }, (_, index) =>
      add({ name: `Guest ${index}`, table: String(index % 7) }),
    );
    await Promise.all(rows);
    const pdf = await file('guests/print?order=name');
    expect(await pages(pdf)).toBe(4);
    expect(await onFile('qpdf', ['--check', '{}'], pdf)).toContain('No syntax or stream encoding errors');
  });
});
