import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppConfig } from '../../src/config/app-config.js';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { describeWithTool } from '../support/tools.js';
import { insertDonation } from '../support/donation-rows.js';
import { withEvent, withStaff } from '../support/setup.js';
import { onFile, pdfText } from './tools.js';
import { dateInWords } from '../../src/common/text/local-time.js';

const YEAR = new Date().getUTCFullYear();

const evening = withEvent({
  start: () => startApp({ PUBLIC_URL: 'https://give.example.org' }),
  fields: { name: 'Winter Gala 2026' },
});
const { app, admin, event } = evening;
const maria = withStaff(evening);

const ask = (id: string, token = admin.token) => as(app, token).get(`/export/receipts/${id}`);

async function receipt(id: string, token = admin.token): Promise<Buffer> {
  const response = await ask(id, token).buffer(true).expect(200);
  return response.body as Buffer;
}

const receiptText = async (id: string) => await pdfText(await receipt(id));

const numberOf = async (id: string) =>
  (
    await sql<{ receipt_number: string | null }>(app, 'SELECT receipt_number FROM donation WHERE id = $1', [
      id,
    ])
  )[0]?.receipt_number;

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Harbour Fund',
      timezone: 'Asia/Tokyo',
      legal: {
        legalName: 'Harbour Children’s Fund e. V.',
        taxId: '17/123/45678',
        address: 'Am Sandtorkai 12\n20457 Hamburg',
        footer: 'Registered under VR 12345.',
        signatory: 'Dr. Johanna Petersen',
      },
    })
    .expect(200);
});

describe('access to receipts', () => {
  it('an admin and the staff member who recorded the donation get its receipt', async () => {
    const id = await insertDonation(app, event.id, { staffId: maria.id, staffName: maria.name });
    await ask(id).expect(200).expect('Content-Type', 'application/pdf');
    await ask(id, maria.token).expect(200);
  });

  it('other staff members get 404 for the receipt of a donation', async () => {
    const colleague = await createStaff(app, admin.token, event.id, 'Ines Duarte');
    const other = await createEvent(app, admin.token);
    const id = await insertDonation(app, event.id, { staffId: maria.id });
    const elsewhere = await insertDonation(app, other.id, { staffId: maria.id });
    for (const [donation, token] of [
      [id, colleague.token],
      [elsewhere, maria.token],
    ] as const) {
      const { body } = await ask(donation, token).expect(404);
      expect(body).toEqual({
        statusCode: 404,
        message: 'There is no such donation',
        error: 'Not Found',
        code: 'DONATION_NOT_FOUND',
      });
      expect(await numberOf(donation)).toBeNull();
    }
  });

  it('a request without a token gets no receipt', async () => {
    await app.http.get(`/export/receipts/${newId()}`).expect(401);
  });

  it.each(['nonsense', newId(), '%00', "1' OR 1=1--"])(
    'the receipt of a donation with the invalid id %s answers 404',
    async (id) => {
      await ask(id).expect(404);
    },
  );
});

describe('a receipt number', () => {
  it('a receipt number is assigned once, at the first request, and stays', async () => {
    const id = await insertDonation(app, event.id);
    expect(await numberOf(id)).toBeNull();
    await ask(id).expect(200);
    const number = await numberOf(id);
    expect(number).toMatch(new RegExp(`^${YEAR}-\\d{6}$`));
    const again = await ask(id).expect(200);
    expect(await numberOf(id)).toBe(number);
    expect(again.headers['content-disposition']).toBe(
      `attachment; filename="receipt-${number}.pdf"; filename*=UTF-8''receipt-${number}.pdf`,
    );
    expect(again.headers['cache-control']).toBe('no-store');
  });

  it('twenty simultaneous first requests get the same receipt number', async () => {
    const id = await insertDonation(app, event.id);
    await Promise.all(Array.from({ length: 20 }, () => ask(id).expect(200)));
    const rows = await sql(app, 'SELECT 1 FROM receipt WHERE donation_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });

  it('simultaneous requests for many receipts leave no gap and no duplicate number', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => insertDonation(app, event.id)));
    await Promise.all(ids.flatMap((id) => [ask(id).expect(200), ask(id).expect(200)]));
    const numbers = await sql<{ number: number; year: number }>(
      app,
      'SELECT number, year FROM receipt ORDER BY number',
    );
    expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, index) => index + 1));
    const [counter] = await sql<{ last_number: number }>(app, 'SELECT last_number FROM receipt_counter');
    expect(counter?.last_number).toBe(numbers.length);
  });

  it('a HEAD request assigns no receipt number', async () => {
    const id = await insertDonation(app, event.id);
    await app.http.head(`/export/receipts/${id}`).auth(admin.token, { type: 'bearer' }).expect(200);
    expect(await numberOf(id)).toBeNull();
    const open = await insertDonation(app, event.id, { status: 'PENDING', type: 'pledge' });
    await app.http.head(`/export/receipts/${open}`).auth(admin.token, { type: 'bearer' }).expect(409);
  });

  it('a donation without a receipt uses up no number', async () => {
    const before = await sql(app, 'SELECT * FROM receipt_counter');
    const id = await insertDonation(app, event.id, { status: 'PENDING', type: 'pledge' });
    await ask(id).expect(409);
    expect(await sql(app, 'SELECT * FROM receipt_counter')).toEqual(before);
  });
});

describe('receipts of uncompleted donations', () => {
  it.each([
    ['PENDING', 'pledge', 0],
    ['FAILED', 'card', 0],
    ['CANCELLED', 'cash', 0],
    ['REFUNDED', 'cash', 2500],
  ])('a donation in the state %s has no receipt', async (status, type, refundedAmount) => {
    const id = await insertDonation(app, event.id, { status, type, refundedAmount });
    const { body } = await ask(id).expect(409);
    expect(body).toMatchObject({ code: 'DONATION_NOT_COMPLETED', error: 'Conflict' });
    expect(await numberOf(id)).toBeNull();
  });
});

describeWithTool('pdftotext', 'the text of a receipt', () => {
  it('the receipt has the day on which the money was received, not the day on which the terminal sent it', async () => {
    const recordedAt = new Date(Date.now() - 30 * 3_600_000);
    const { body } = await maria
      .post('/donations', {
        amount: 2500,
        type: 'cash',
        donorName: 'Grace Hopper',
        recordedAt: recordedAt.toISOString(),
      })
      .expect(201);
    const { id, createdAt } = body as { id: string; createdAt: string };
    const text = await receiptText(id);
    const [taken, arrived] = [recordedAt, new Date(createdAt)].map((day) =>
      dateInWords(day, 'en', 'Asia/Tokyo'),
    );
    expect(taken).not.toBe(arrived);
    expect(/Received on\s+(.*)/.exec(text)?.[1]).toBe(taken);
    // The issue date of a receipt is today, even if the money was received earlier.
    expect(text).toContain(arrived);
  });

  it('the receipt names the donor, the amount, the donation and its recipient', async () => {
    const id = await insertDonation(app, event.id, {
      amount: 125050,
      donorName: 'Grace Hopper',
      message: 'For the new roof',
      // At this time it is already the next day in Tokyo.
      completedAt: '2026-03-01T20:00:00Z',
    });
    const text = await receiptText(id);
    for (const part of [
      'Donation receipt',
      `Receipt no. ${await numberOf(id)}`,
      'Grace Hopper',
      '€1,250.50',
      '2 March 2026',
      'Cash',
      'Winter Gala 2026',
      id,
      'For the new roof',
      'Harbour Fund',
      'Harbour Children’s Fund e. V.',
      'Am Sandtorkai 12, 20457 Hamburg',
      'Tax ID 17/123/45678',
      'Registered under VR 12345.',
      'Dr. Johanna Petersen',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('COPY');
    expect(text).not.toContain('void');
    expect(text).not.toContain('ada@example.org');
  });

  it('the receipt of an anonymous donation names the real donor', async () => {
    const text = await receiptText(
      await insertDonation(app, event.id, { isAnonymous: true, donorName: 'Shy Giver' }),
    );
    expect(text).toContain('Shy Giver');
  });

  it('the receipt of a donation without a name says anonymous donor', async () => {
    expect(await receiptText(await insertDonation(app, event.id, { donorName: null }))).toContain(
      'An anonymous donor',
    );
  });

  it('the receipt is marked as a copy from the second request on', async () => {
    const id = await insertDonation(app, event.id);
    const [first, second] = [await receiptText(id), await receiptText(id)];
    expect(first).not.toContain('COPY');
    expect(second).toContain('COPY');
    expect(second).toContain(await numberOf(id));
  });

  describe('after a correction of the donor', () => {
    const correct = (id: string, fields: object) => admin.patch(`/donations/${id}`, fields).expect(200);
    const receipts = (id: string) =>
      sql<{ number: string; replaces: string | null; void: boolean }>(
        app,
        `SELECT year || '-' || lpad(number::text, 6, '0') AS number, replaces, replaced_at IS NOT NULL AS void
         FROM receipt WHERE donation_id = $1 ORDER BY number`,
        [id],
      );

    it('a corrected receipt gets the next number and names the receipt that it replaces', async () => {
      const id = await insertDonation(app, event.id, { donorName: 'Ada Lovelase' });
      await ask(id).expect(200);
      const first = String(await numberOf(id));
      await correct(id, { donorName: 'Ada Lovelace' });
      const text = await receiptText(id);
      const second = String(await numberOf(id));
      expect(Number(second.slice(5))).toBe(Number(first.slice(5)) + 1);
      expect(text).toContain('Ada Lovelace');
      expect(text).toContain(`this receipt cancels and replaces receipt no. ${first}`);
      expect(text).not.toContain('COPY');
      expect(await receipts(id)).toEqual([
        { number: first, replaces: null, void: true },
        { number: second, replaces: first, void: false },
      ]);
      expect(await receiptText(id)).toContain('COPY');
      const { body: history } = await admin.get(`/donations/${id}/history`).expect(200);
      expect(history).toMatchObject([
        { actor: 'admin', fields: ['donorName'] },
        { actor: 'system', reason: `receipt ${first} replaced by ${second}` },
      ]);
    });

    it('simultaneous requests replace a corrected receipt once and leave no gap', async () => {
      const id = await insertDonation(app, event.id);
      await ask(id).expect(200);
      await correct(id, { message: 'In memory of Annabella' });
      const texts = await Promise.all(Array.from({ length: 8 }, () => receiptText(id)));
      expect(texts.filter((text) => !text.includes('COPY'))).toHaveLength(1);
      expect(await receipts(id)).toHaveLength(2);
      const [sum] = await sql<{ gapless: boolean }>(
        app,
        `SELECT count(*) = max(number) AND max(number) = (SELECT max(last_number) FROM receipt_counter) AS gapless
         FROM receipt`,
      );
      expect(sum?.gapless).toBe(true);
    });

    it.each([
      ['only fields that are not printed', { donorEmail: 'new@example.org' }],
      ['nothing', { donorName: 'Ada Lovelace' }],
    ])('the receipt stays the same if the correction changes %s', async (_, fields) => {
      const id = await insertDonation(app, event.id);
      await ask(id).expect(200);
      await correct(id, fields);
      expect(await receiptText(id)).toContain('COPY');
      expect(await receipts(id)).toHaveLength(1);
    });

    it('the receipt stays the same if a correction is undone before a new receipt is printed', async () => {
      const id = await insertDonation(app, event.id);
      await ask(id).expect(200);
      await correct(id, { donorName: 'Somebody else' });
      await correct(id, { donorName: 'Ada Lovelace' });
      await receipt(id);
      expect(await receipts(id)).toHaveLength(1);
    });

    it('the void receipt keeps its text after the donation is cancelled', async () => {
      const id = await insertDonation(app, event.id, { donorName: 'Ada Lovelase' });
      await ask(id).expect(200);
      await correct(id, { donorName: 'Grace Hopper' });
      await admin.post(`/donations/${id}/cancel`, { shouldRefund: false }).expect(200);
      const text = await receiptText(id);
      expect(text).toContain('This receipt is void');
      expect(text).toContain('Ada Lovelase');
      expect(await receipts(id)).toHaveLength(1);
    });
  });

  it('the receipt of a partly refunded donation shows the given, refunded and remaining amounts', async () => {
    const text = await receiptText(
      await insertDonation(app, event.id, { amount: 10_000, refundedAmount: 2_550 }),
    );
    for (const part of ['Donated', '€100.00', 'Refunded', '€25.50', 'Remaining donation', '€74.50'])
      expect(text).toContain(part);
  });

  it.each([
    [
      'REFUNDED',
      'UPDATE donation SET status = $2::donation_status, refunded_amount = amount WHERE id = $1',
      'refunded in full',
    ],
    ['CANCELLED', 'UPDATE donation SET status = $2::donation_status WHERE id = $1', 'was cancelled'],
  ])('the receipt is void under the same number after the donation is %s', async (status, change, reason) => {
    const id = await insertDonation(app, event.id);
    await ask(id).expect(200);
    const number = await numberOf(id);
    await sql(app, change, [id, status]);
    const text = await receiptText(id);
    expect(text).toContain('This receipt is void');
    expect(text).toContain(reason);
    expect(text).toContain(String(number));
    expect(await numberOf(id)).toBe(number);
  });

  it.each([
    ['jpy', 500_000, '¥500,000'],
    ['kwd', 1_234_567, 'KWD 1,234.567'],
    ['usd', 999_999_999_999, '$9,999,999,999.99'],
  ])('the receipt writes %s with the decimals of the currency', async (currency, amount, expected) => {
    const text = await receiptText(await insertDonation(app, event.id, { currency, amount }));
    expect(text.replaceAll('\u00A0', ' ')).toContain(expected);
  });

  it('the receipt is in the language of the event', async () => {
    const german = await createEvent(app, admin.token, { name: 'Ball der Stadt' });
    await admin
      .patch(`/events/${german.id}/settings`, {
        locales: { default: 'de-AT', supported: ['de-AT'] },
        organization: 'Verein Eins',
      })
      .expect(200);
    const text = await receiptText(await insertDonation(app, german.id, { amount: 123456 }));
    for (const part of ['Spendenquittung', 'Verein Eins', 'Bargeld', '1. März 2026'])
      expect(text).toContain(part);
  });

  it.each([
    ['Latin', 'Łukasz Ñandú-Ðorđević Nguyễn'],
    ['Greek', 'Ελένη Παπαδοπούλου'],
    ['Cyrillic', 'Олександр Ґудзь'],
    ['Hebrew', 'דוד כהן'],
    ['Arabic', 'محمد عبد الله'],
    ['Urdu', 'گلزار احمد'],
    ['Thai', 'สมชาย ใจดี'],
    ['Devanagari', 'राजेश कुमार'],
    ['Bengali', 'নজরুল ইসলাম'],
    ['Tamil', 'தமிழ்'],
    ['Han', '山田太郎'],
    ['Han beyond the basic plane', '𠮷野家'],
    ['kana', 'さくら ヤマダ'],
    ['hangul', '김철수'],
    ['Armenian', 'Հայերեն'],
    ['Georgian', 'ქართული'],
    ['Amharic', 'አማርኛ'],
    ['emoji', '😀 🎉'],
    ['mathematical letters', '𝓐𝓷𝓷𝓪'],
  ])('the receipt prints a name in %s', async (_, donorName) => {
    const letters = (text: string) => text.normalize('NFKC').replace(/\s/g, '');
    const text = await receiptText(await insertDonation(app, event.id, { donorName }));
    expect(letters(text)).toContain(letters(donorName));
    expect(text).not.toContain('\uFFFD');
  });

  it('the receipt prints a replacement for a character that no font has', async () => {
    const text = await receiptText(await insertDonation(app, event.id, { donorName: 'Enki \u{12000}' }));
    expect(text).toContain('Enki');
    expect(text).toContain('\uFFFD');
  });
});

describeWithTool('qpdf', 'the receipt PDF', () => {
  const check = (pdf: Buffer) => onFile('qpdf', ['--check', '{}'], pdf);

  it('the receipt is a valid PDF of size A4', async () => {
    const pdf = await receipt(await insertDonation(app, event.id));
    expect(await check(pdf)).toContain('No syntax or stream encoding errors');
    const page = await onFile('pdfinfo', ['{}'], pdf);
    expect(page).toMatch(/Page size:\s+595\.28 x 841\.89 pts \(A4\)/);
    expect(page).toMatch(/Title:\s+Donation receipt \d{4}-\d{6}/);
    expect(page).toMatch(/Tagged:\s+yes/);
    expect(page).toMatch(/Pages:\s+1\n/);
  });

  it.each([
    ['the longest name', { donorName: 'W'.repeat(200) }],
    ['a name of emoji', { donorName: '👨‍👩‍👧‍👦🏳️‍🌈🇺🇦👍🏽'.repeat(8) }],
    ['mixed directions', { donorName: 'דוד (David) 12, محمد [Mo] — ok' }],
    ['a message of many lines', { message: 'line\n'.repeat(200) }],
    ['a long message in Arabic', { message: 'كتاب جميل '.repeat(100) }],
    ['very many combining marks', { donorName: `Z${'\u0336\u0489'.repeat(90)}` }],
    ['unusual spaces and joiners', { donorName: 'a\u00ADb\u200Bc\u2060d\u00A0e\u3000f\u200Dg' }],
    ['PDF syntax', { donorName: ') Tj ET (\\) <</JS (app.alert(1))>>', message: '%%EOF\nendobj' }],
  ])('the receipt is a valid PDF with %s', async (_, fields) => {
    expect(await check(await receipt(await insertDonation(app, event.id, fields)))).toContain(
      'No syntax or stream',
    );
  });
});

describeWithTool('pdfimages', 'the logo on the receipt', () => {
  const setLogo = (logo: string | null) =>
    admin.patch('/settings/global', { theme: { assets: { logo } } }).expect(200);
  const imagesOf = async (id: string) =>
    (await onFile('pdfimages', ['-list', '{}'], await receipt(id))).split('\n').length - 3;

  it('the logo is read from a file of this host and never downloaded', async () => {
    const assets = join(app.app.get(AppConfig).dataDir, 'assets');
    await mkdir(assets);
    await writeFile(join(assets, 'logo.png'), tinyPng());
    await writeFile(join(assets, 'broken.png'), tinyPng().subarray(0, 40));
    // The header is valid, but the compressed pixels are not. So the decoder finds the error late.
    await writeFile(join(assets, 'damaged.png'), tinyPng(Buffer.from('not deflated at all'), 6));
    await writeFile(join(assets, 'transparent.png'), tinyPng(deflateSync(Buffer.alloc(4 * 17)), 6));
    const bomb = tinyPng();
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    await writeFile(join(assets, 'bomb.png'), bomb);
    const id = await insertDonation(app, event.id);
    for (const [logo, images] of [
      ['/assets/logo.png', 1],
      ['https://give.example.org/assets/logo.png', 1],
      ['/assets/transparent.png', 1],
      ['/assets/broken.png', 0],
      ['/assets/damaged.png', 0],
      ['/assets/bomb.png', 0],
      ['/assets/../secrets.json', 0],
      ['/assets/none.png', 0],
      // No program listens at this address, so a download would fail or hang.
      ['https://127.0.0.1:1/logo.png', 0],
    ] as const) {
      await setLogo(logo);
      expect([logo, await imagesOf(id)]).toEqual([logo, images]);
    }
    await setLogo(null);
  });
});

const RED_ROW = Buffer.from([0, ...Array.from({ length: 4 }, () => [255, 0, 0]).flat()]);

/** Returns a PNG of 4 × 4 red pixels, or with the given pixels. Colour type 2 has no transparency; type 6 has it. */
function tinyPng(pixels = deflateSync(Buffer.concat(Array<Buffer>(4).fill(RED_ROW))), kind = 2): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    const body = Buffer.concat([Buffer.from(type), content]);
    return Buffer.concat([length, body, crc32(body)]);
  };
  const header = Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, kind, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): Buffer {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(~crc >>> 0);
  return sum;
}
