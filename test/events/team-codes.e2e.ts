import { createRequire } from 'node:module';
import type jsQR from 'jsqr';
import { expect, it } from '@jest/globals';
import sharp from 'sharp';
import { newId } from '../../src/common/crypto/ids.js';
import { AppConfig } from '../../src/config/app-config.js';
import { as } from '../support/bearer.js';
import { onFile, pdfText } from '../export/tools.js';
import { withEvent, withStaff } from '../support/setup.js';
import { describeWithTool, itWithTool } from '../support/tools.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { each: true });

const path = (query = '') => `/events/${event.slug}/teams/print${query}`;
const file = async (query: string) =>
  (await admin.get(path(query)).responseType('blob').expect(200).expect('content-type', 'application/pdf'))
    .body as Buffer;
const addressOf = (slug: string) => `${app.app.get(AppConfig).publicUrl}/donate/${event.slug}?team=${slug}`;
const addTeam = async (fields: object) =>
  (await admin.post(`/events/${event.id}/teams`, { kind: 'team', ...fields }).expect(201)).body as {
    id: string;
  };
const addTables = (count: number, name = 'Table') =>
  admin.post(`/events/${event.id}/teams/tables`, { count, name }).expect(201);
const pages = async (pdf: Buffer) => Number(/Pages:\s+(\d+)/.exec(await onFile('pdfinfo', ['{}'], pdf))?.[1]);

const DOTS_PER_INCH = 100;
/** Empty modules around a code. */
const QUIET = 4;

interface Picture {
  /** Four bytes for each dot: red, green, blue and opacity. */
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

type Grid = readonly [columns: number, rows: number];

/** Draws a page, and returns its parts: `columns` × `rows` of equal size, row by row. */
async function partsOf(pdf: Buffer, page: number, [columns, rows]: Grid): Promise<Picture[]> {
  const pageArgs = ['-f', String(page), '-l', String(page)];
  const drawn = Buffer.from(
    await onFile('pdftoppm', ['-r', String(DOTS_PER_INCH), '-gray', ...pageArgs, '{}'], pdf, 'latin1'),
    'latin1',
  );
  const [head = '', across = '', down = ''] =
    /^P5\s(\d+) (\d+)\s255\s/.exec(drawn.toString('latin1', 0, 40)) ?? [];
  const [width, height] = [Math.floor(Number(across) / columns), Math.floor(Number(down) / rows)];
  return Array.from({ length: columns * rows }, (_, place) => {
    const data = new Uint8ClampedArray(width * height * 4).fill(255);
    const [left, top] = [(place % columns) * width, Math.floor(place / columns) * height];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        data.fill(
          drawn[head.length + (top + y) * Number(across) + left + x] ?? 255,
          (y * width + x) * 4,
          (y * width + x) * 4 + 3,
        );
    return { data, width, height };
  });
}

/** Returns the text of the code in a picture. Fails if a module next to the code is not white. */
function codeIn({ data, width, height }: Picture): string | undefined {
  const found = decode(data, width, height);
  if (!found) return undefined;
  const corners = Object.entries(found.location)
    .filter(([name]) => name.endsWith('Corner'))
    .map(([, corner]) => corner);
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const module = (right - left) / (found.version * 4 + 17);
  for (let y = Math.ceil(top - (QUIET - 0.3) * module); y < bottom + (QUIET - 0.3) * module; y++)
    for (let x = Math.ceil(left - (QUIET - 0.3) * module); x < right + (QUIET - 0.3) * module; x++) {
      const isOutside = x < left - module || x > right + module || y < top - module || y > bottom + module;
      if (isOutside && x >= 0 && x < width && (data[(y * width + x) * 4] ?? 255) < 250)
        throw new Error(`A dot at ${x}, ${y} is too near to the code ${found.data}`);
    }
  return found.data;
}

/** Returns the texts of the codes on the first pages, part by part. */
async function codesIn(pdf: Buffer, count: number, grid: Grid): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; page <= count; page++)
    for (const part of await partsOf(pdf, page, grid)) {
      const code = codeIn(part);
      if (code !== undefined) found.push(code);
    }
  return found;
}

describeWithTool('pdftoppm', 'GET /events/:id/teams/print', () => {
  it.each([
    ['sheet', 60, [1, 1]],
    ['tent', 30, [2, 2]],
    ['cards', 8, [2, 4]],
  ] as const)(
    'as %s, each of sixty codes opens its table and has four empty modules around it',
    async (layout, wantedPages, grid: Grid) => {
      await addTables(60);
      const pdf = await file(`?layout=${layout}`);
      expect(await pages(pdf)).toBe(wantedPages);
      const found = await codesIn(pdf, wantedPages, grid);
      const wanted = Array.from({ length: 60 }, (_, index) => addressOf(`table-${index + 1}`));
      // A tent card has the same code on both sides. The backs of two cards come first.
      const order = layout === 'tent' ? pairs(wanted).flatMap((pair) => [...pair, ...pair]) : wanted;
      expect(found).toEqual(order);
    },
    120_000,
  );

  it('has the names, the invitation in the language of the event, and the address', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, { locales: { supported: ['de', 'en'], default: 'de' } })
      .expect(200);
    await addTables(2, 'Tisch');
    await addTeam({ name: 'Die Lauten' });
    for (const layout of ['sheet', 'tent', 'cards']) {
      const text = (await pdfText(await file(`?layout=${layout}`))).replace(/\s+/g, ' ');
      expect(text).toMatch(/Tisch 1.*Tisch 2.*Die Lauten/);
      expect(text).toContain('Scannen und spenden');
      // A long address has several lines, and pdftotext removes a hyphen at the end of a line.
      expect(text.replace(/[\s-]/g, '')).toContain('?team=dielauten');
    }
    expect(await pdfText(await file('?language=fr'))).toContain('Scannez et donnez');
  });

  it('prints one team, and no team that is not listed', async () => {
    await addTables(9);
    const { id } = await addTeam({ name: 'The Loud Ones' });
    const hidden = await addTeam({ name: 'Hidden', isListed: false });
    const one = await file(`?layout=cards&teamId=${id}`);
    expect(await pages(one)).toBe(1);
    expect(await codesIn(one, 1, [2, 4])).toEqual([addressOf('the-loud-ones')]);
    expect(await pdfText(await file('?layout=cards'))).not.toContain('Hidden');
    for (const teamId of [hidden.id, newId()]) await admin.get(path(`?teamId=${teamId}`)).expect(404);
  });

  it('fits long names, names in Arabic, an address of forty characters and a logo', async () => {
    const logo = await sharp({ create: { width: 400, height: 100, channels: 4, background: '#2255aa' } })
      .png()
      .toBuffer();
    const { body } = await as(app, admin.token)
      .post('/images')
      .set('Content-Type', 'image/png')
      .send(logo)
      .expect(201);
    await admin
      .patch(`/events/${event.id}/branding`, {
        themeVariables: { '--background-color': '#10182a', '--text-color': '#ffffff' },
        assets: { logo: (body as { path: string }).path },
      })
      .expect(200);
    await admin
      .patch(`/events/${event.id}`, { name: 'An evening in the harbour '.repeat(4).trim() })
      .expect(200);
    await addTeam({ name: 'Everybody who sang at the top of their voice in 2026', slug: 'b'.repeat(40) });
    await addTeam({ name: 'مائدة الشرف', slug: 'honour' });
    for (const [layout, grid, most] of [
      ['sheet', [1, 1], 2],
      ['tent', [2, 2], 1],
      ['cards', [2, 4], 1],
    ] as const) {
      for (const language of ['en', 'ar']) {
        const pdf = await file(`?layout=${layout}&language=${language}`);
        expect(await pages(pdf)).toBe(most);
        const codes = new Set(await codesIn(pdf, most, grid));
        expect([...codes].sort()).toEqual([addressOf('b'.repeat(40)), addressOf('honour')].sort());
      }
    }
  });

  itWithTool('qpdf', 'is a correct PDF', async () => {
    await addTables(3);
    for (const layout of ['sheet', 'tent', 'cards'])
      expect(await onFile('qpdf', ['--check', '{}'], await file(`?layout=${layout}`))).toContain(
        'No syntax or stream encoding errors',
      );
  });

  it('refuses volunteers, other layouts and an event without teams', async () => {
    await admin.get(path()).expect(404);
    await addTables(1);
    await as(app, maria.token).get(path()).expect(403);
    for (const wrong of ['layout=a5', 'language=xx', 'teamId=1'])
      await admin.get(path(`?${wrong}`)).expect(400);
    await admin.get('/events/no-such-event/teams/print').expect(404);
  });
});

function pairs<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / 2) }, (_, index) =>
    items.slice(index * 2, index * 2 + 2),
  );
}
