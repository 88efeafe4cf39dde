import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import { expect, it } from '@jest/globals';
import sharp, { type Region } from 'sharp';
import { AppConfig } from '../../src/config/app-config.js';
import { readableOn, toHex } from '../../src/settings/palette.js';
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
      .responseType('blob')
      .expect(200)
      .expect('content-type', 'application/pdf')
  ).body as Buffer;

/** Draws the first page of a PDF. */
const picture = async (pdf: Buffer): Promise<Buffer> =>
  Buffer.from(
    await onFile('pdftoppm', ['-r', '100', '-png', '-f', '1', '-l', '1', '{}'], pdf, 'latin1'),
    'latin1',
  );

/** Returns the most frequent colours of the first page, except white and black, as `#rrggbb`. */
async function coloursOf(pdf: Buffer, place?: Region): Promise<string[]> {
  const page = sharp(await picture(pdf)).removeAlpha();
  const { data } = await (place ? page.extract(place) : page).raw().toBuffer({ resolveWithObject: true });
  const counts = new Map<string, number>();
  for (let at = 0; at < data.length; at += 3) {
    const colour = `#${data.toString('hex', at, at + 3)}`;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts]
    .filter(([colour]) => colour !== '#ffffff' && colour !== '#000000')
    .sort(([, one], [, other]) => other - one)
    .map(([colour]) => colour);
}

const brandWith = (variables: object, assets = {}) =>
  admin.patch(`/events/${event.id}/branding`, { themeVariables: variables, assets }).expect(200);

/** Draws the first page of a PDF and returns the text of the QR code in a part of the page. */
async function codeOf(pdf: Buffer, part: (size: { width: number; height: number }) => Region) {
  const page = await picture(pdf);
  const { width, height } = await sharp(page).metadata();
  const { data, info } = await sharp(page)
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

  it('has the colours of the branding, with readable text in a pale colour', async () => {
    await brandWith({ '--brand-color': '#7a1f5c' });
    expect((await coloursOf(await file('poster'))).slice(0, 3)).toContain('#7a1f5c');
    expect(await coloursOf(await file('table-cards?from=1&to=1'))).toContain('#7a1f5c');
    await brandWith({ '--brand-color': '#ffd400' });
    const pale = await coloursOf(await file('poster'));
    // The bars keep the colour. The invitation has a darker shade of it, with a contrast of 4.5 to white.
    expect(pale[0]).toBe('#ffd400');
    const text = toHex(readableOn([255, 212, 0], [255, 255, 255]));
    expect(text).not.toBe('#ffd400');
    expect(pale).toContain(text);
  });

  it('draws a logo for a dark page on the dark colour of the page, on posters and on cards', async () => {
    const white = await sharp({
      create: { width: 400, height: 100, channels: 4, background: '#fffffe' },
    })
      .png()
      .toBuffer();
    const { body } = await as(app, admin.token)
      .post('/images')
      .set('Content-Type', 'image/png')
      .send(white)
      .expect(201);
    await brandWith(
      { '--background-color': '#10182a', '--text-color': '#ffffff', '--brand-color': '#ffd400' },
      { logo: (body as { path: string }).path },
    );
    expect((await coloursOf(await file('poster'), { left: 0, top: 15, width: 827, height: 60 }))[0]).toBe(
      '#10182a',
    );
    const cards = await file('table-cards?from=1&to=4');
    expect(await coloursOf(cards)).toContain('#10182a');
    expect(await codeOf(await file('poster'), whole)).toBe(`${publicUrl()}/donate/${event.slug}?from=poster`);
  });

  itWithTool('qpdf', 'is a correct PDF', async () => {
    for (const path of ['poster', 'poster?paper=a3', 'table-cards?from=1&to=5'])
      expect(await onFile('qpdf', ['--check', '{}'], await file(path))).toContain(
        'No syntax or stream encoding errors',
      );
  });

  it('answers 403 to volunteers', async () => {
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
