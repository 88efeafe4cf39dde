import { once } from 'node:events';
import { request } from 'node:http';
import { access, readdir, readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { Database } from '../../src/data/database.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { describeWithTool } from '../support/tools.js';
import { csvObjects } from './parse-csv.js';
import { insertDonation, insertManyDonations } from '../support/donation-rows.js';
import { withAdmin, withService } from '../support/setup.js';
import { onFile, pdfText } from './tools.js';
import { until } from '../support/until.js';

const app = withService();
const admin = withAdmin(app);

const ask = (eventId: string, token = admin.token) =>
  app.http.get('/export/receipts/zip').query({ eventId }).auth(token, { type: 'bearer' });

/** Returns the files of a ZIP by name, and its manifest. */
async function zip(eventId: string) {
  const { body } = await ask(eventId).buffer(true).responseType('blob').expect(200);
  const bytes = body as Buffer;
  const files = unzipSync(bytes);
  const manifest = Buffer.from(files['manifest.csv'] ?? []).toString('utf8');
  const names = Object.keys(files).filter((name) => name !== 'manifest.csv');
  return { bytes, files, names, manifest, records: csvObjects(manifest.replace(/^\uFEFF/, '')) };
}

const issued = async () =>
  (await sql<{ count: number }>(app, 'SELECT count(*)::int AS count FROM receipt'))[0]?.count ?? 0;

/** Returns the manifest files that this process has open. They have no name in any folder. */
const manifests = async (): Promise<string[]> => {
  const open = await readdir('/proc/self/fd');
  const files = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return files.filter((name) => name.includes('donation-receipts-'));
};

describe('the receipts ZIP of an event', () => {
  it('the ZIP contains one PDF for each completed donation and a manifest that lists them', async () => {
    const event = await createEvent(app, admin.token);
    const other = await createEvent(app, admin.token);
    const kept = [
      await insertDonation(app, event.id, { donorName: 'Ada Lovelace', amount: 12345 }),
      await insertDonation(app, event.id, {
        donorName: '=HYPERLINK("http://evil")',
        amount: 5000,
        refundedAmount: 1000,
      }),
      await insertDonation(app, event.id, { donorName: '山田 "太郎", 様', currency: 'jpy', amount: 5000 }),
    ];
    await insertDonation(app, event.id, { status: 'REFUNDED', refundedAmount: 2500 });
    await insertDonation(app, event.id, { status: 'PENDING', type: 'pledge' });
    await insertDonation(app, event.id, { status: 'CANCELLED' });
    await insertDonation(app, other.id);

    const { names, files, manifest, records } = await zip(event.id);
    expect(names).toHaveLength(3);
    expect(names.every((name) => /^receipt-\d{4}-\d{6}\.pdf$/.test(name))).toBe(true);
    for (const name of names)
      expect(
        Buffer.from(files[name] ?? [])
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');

    expect(manifest.startsWith('\uFEFF')).toBe(true);
    expect(records.map(({ donationId }) => donationId)).toEqual(kept);
    expect(records.map(({ file }) => file).sort()).toEqual([...names].sort());
    expect(records[0]).toMatchObject({
      donorName: 'Ada Lovelace',
      amount: '12345',
      amountDecimal: '123.45',
      currency: 'eur',
    });
    expect(records[1]).toMatchObject({
      donorName: '\'=HYPERLINK("http://evil")',
      refundedAmountDecimal: '10.00',
    });
    expect(records[2]).toMatchObject({ donorName: '山田 "太郎", 様', amountDecimal: '5000' });
    expect(records.map(({ copy }) => copy)).toEqual(['false', 'false', 'false']);
  });

  it('the ZIP assigns the receipt numbers and contains copies the second time', async () => {
    const event = await createEvent(app, admin.token);
    const single = await insertDonation(app, event.id);
    await admin.get(`/export/receipts/${single}`).expect(200);
    const fresh = await insertDonation(app, event.id);
    const first = await zip(event.id);
    expect(first.records.map(({ copy }) => copy)).toEqual(['true', 'false']);
    const before = await issued();
    const second = await zip(event.id);
    expect(second.records.map(({ copy }) => copy)).toEqual(['true', 'true']);
    expect(await issued()).toBe(before);
    const rows = await sql<{ receipt_number: string }>(
      app,
      'SELECT receipt_number FROM donation WHERE id = ANY($1::uuid[]) ORDER BY id',
      [[single, fresh]],
    );
    expect(second.records.map(({ receiptNumber }) => receiptNumber)).toEqual(
      rows.map((row) => row.receipt_number),
    );
  });

  it('the ZIP accepts the slug of an event and has it in its file name', async () => {
    const event = await createEvent(app, admin.token, { slug: 'summer-zip-2026' });
    await ask(event.slug)
      .expect(200)
      .expect('Content-Type', 'application/zip')
      .expect('Cache-Control', 'no-store')
      .expect('Content-Disposition', /^attachment; filename="receipts-summer-zip-2026-\d{4}-\d\d-\d\d\.zip"/);
  });

  it('the ZIP replaces the receipts of corrected donors and contains the others as copies', async () => {
    const event = await createEvent(app, admin.token);
    const [corrected, other] = [await insertDonation(app, event.id), await insertDonation(app, event.id)];
    const before = await zip(event.id);
    await admin.patch(`/donations/${corrected}`, { donorName: 'Grace Hopper' }).expect(200);
    const after = await zip(event.id);
    const numberOf = ({ records }: typeof before, id: string) =>
      records.find(({ donationId }) => donationId === id)?.receiptNumber;
    expect(numberOf(after, other)).toBe(numberOf(before, other));
    expect(numberOf(after, corrected)).not.toBe(numberOf(before, corrected));
    expect(after.records.find(({ donationId }) => donationId === corrected)).toMatchObject({
      donorName: 'Grace Hopper',
      copy: 'false',
    });
  });

  it('the ZIP contains only the manifest if there are no donations', async () => {
    const { names, records, manifest } = await zip((await createEvent(app, admin.token)).id);
    expect(names).toEqual([]);
    expect(records).toEqual([]);
    expect(manifest).toMatch(/^\uFEFFreceiptNumber,.*\r\n$/);
  });

  it('a ZIP over many batches contains every receipt once, numbered without a gap', async () => {
    const event = await createEvent(app, admin.token);
    await insertManyDonations(app, event.id, 130);
    const { names, records } = await zip(event.id);
    expect(new Set(names).size).toBe(130);
    const numbers = records.map(({ receiptNumber }) => Number(receiptNumber?.slice(5)));
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it('two simultaneous ZIPs give each donation one receipt number', async () => {
    const event = await createEvent(app, admin.token);
    for (let donation = 0; donation < 30; donation++) await insertDonation(app, event.id);
    const before = await issued();
    const [one, two] = await Promise.all([zip(event.id), zip(event.id)]);
    expect(one.names.sort()).toEqual(two.names.sort());
    expect((await issued()) - before).toBe(one.names.length);
    const originals = [...one.records, ...two.records].filter(({ copy }) => copy === 'false');
    expect(originals).toHaveLength(one.names.length);
  });
});

describe('a request for the receipts ZIP', () => {
  it('the audit records the person and the event of a receipts download', async () => {
    const event = await createEvent(app, admin.token);
    await ask(event.id).expect(200);
    const rows = await sql<{ actor_kind: string }>(
      app,
      "SELECT actor_kind FROM audit_entry WHERE action = 'receipts.export' AND subject_id = $1",
      [event.id],
    );
    expect(rows).toEqual([{ actor_kind: 'admin' }]);
  });

  it('HEAD describes the ZIP file and assigns no receipt number', async () => {
    const event = await createEvent(app, admin.token);
    await insertDonation(app, event.id);
    const before = await issued();
    await app.http
      .head('/export/receipts/zip')
      .query({ eventId: event.id })
      .auth(admin.token, { type: 'bearer' })
      .expect(200)
      .expect('Content-Type', 'application/zip');
    expect(await issued()).toBe(before);
  });

  it.each([
    ['a missing event', {}, 400],
    ['an empty event', { eventId: '' }, 400],
    ['an unknown event', { eventId: 'no-such-event' }, 404],
    ['an invalid event', { eventId: "'; DROP TABLE donation; --" }, 404],
    ['an unknown parameter', { eventId: 'x', foo: '1' }, 400],
  ])('the receipts ZIP refuses %s', async (_, query, status) => {
    const { body, headers } = await app.http
      .get('/export/receipts/zip')
      .query(query)
      .auth(admin.token, { type: 'bearer' })
      .expect(status);
    expect(body).toMatchObject({
      statusCode: status,
      message: expect.any(String),
      error: expect.any(String),
    });
    expect(headers['content-disposition']).toBeUndefined();
  });

  it('the receipts ZIP refuses two events in one request', async () => {
    await admin.get('/export/receipts/zip?eventId=a&eventId=b').expect(400);
  });

  it('refuses the receipts ZIP to staff and the public', async () => {
    const event = await createEvent(app, admin.token);
    const { token } = await createStaff(app, admin.token, event.id);
    await ask(event.id, token).expect(403);
    await app.http.get('/export/receipts/zip').query({ eventId: event.id }).expect(401);
  });
});

describe('a receipt that cannot be printed', () => {
  it('a receipt that fails is marked in the manifest, and the ZIP contains the others', async () => {
    const event = await createEvent(app, admin.token);
    const good = [await insertDonation(app, event.id), await insertDonation(app, event.id)];
    // A damaged row: its currency does not exist, so the service cannot format its amount.
    const bad = await insertDonation(app, event.id, { currency: 'zzz' });
    good.push(await insertDonation(app, event.id));
    const { names, records } = await zip(event.id);
    expect(names).toHaveLength(3);
    expect(records.filter(({ file }) => file === 'failed').map(({ donationId }) => donationId)).toEqual([
      bad,
    ]);
    expect(records.filter(({ file }) => file !== 'failed').map(({ donationId }) => donationId)).toEqual(good);
  });

  it('a receipt is printed even if the text shaping of a name fails', async () => {
    const event = await createEvent(app, admin.token);
    const names = ['Moshe א\u05c1', 'ꦱꦸꦏꦂꦤ', 'ଜଗନ୍ନାଥ', 'བཀྲ་ཤིས', 'ສົມສັກ', 'מֹשֶׁה'];
    for (const donorName of names) {
      const id = await insertDonation(app, event.id, { donorName });
      await admin.get(`/export/receipts/${id}`).expect(200);
    }
    const found = await zip(event.id);
    expect(found.names).toHaveLength(names.length);
    expect(found.records.map(({ donorName }) => donorName)).toEqual(
      names.map((name) => name.normalize('NFC')),
    );
  });
});

describe('a disconnected reader of the receipts ZIP', () => {
  it('when the reader disconnects, the ZIP stops and leaves no open file or connection', async () => {
    const event = await createEvent(app, admin.token);
    await insertManyDonations(app, event.id, 3_000);
    const before = await issued();
    const others = new Set(await manifests());
    const ours = async () => (await manifests()).filter((name) => !others.has(name));
    const url = new URL(`/export/receipts/zip?eventId=${event.id}`, app.url);
    const download = request(url, { headers: { authorization: `Bearer ${admin.token}` } }).end();
    const [response] = (await once(download, 'response')) as [NodeJS.ReadableStream];
    await once(response, 'readable');
    const open = await ours();
    expect(open).toEqual([expect.stringMatching(/\(deleted\)$/)]);
    await expect(access(dirname(open[0] ?? ''))).rejects.toThrow('ENOENT');
    download.destroy();
    await until(async () => (await ours()).length === 0);
    const whenLeft = await issued();
    expect(whenLeft - before).toBeLessThan(3000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await issued()).toBe(whenLeft);
    const { pool } = app.app.get(Database);
    expect(pool.idleCount).toBe(pool.totalCount);
  });
});

describeWithTool('unzip', 'the ZIP in other programs', () => {
  it('unzip finds no error in the ZIP', async () => {
    const event = await createEvent(app, admin.token);
    for (let donation = 0; donation < 5; donation++) await insertDonation(app, event.id);
    const { bytes } = await zip(event.id);
    expect(await onFile('unzip', ['-t', '{}'], bytes)).toContain('No errors detected');
  });
});

describeWithTool('pdftotext', 'the receipts in the ZIP', () => {
  it('each receipt in the ZIP shows the name and receipt number of its donation', async () => {
    const event = await createEvent(app, admin.token, { name: 'Zip Gala' });
    await insertDonation(app, event.id, { donorName: 'Katherine Johnson', amount: 777 });
    await insertDonation(app, event.id, { donorName: 'Dorothy Vaughan', amount: 888 });
    const { files, records } = await zip(event.id);
    for (const record of records) {
      const text = await pdfText(Buffer.from(files[record.file ?? ''] ?? []));
      expect(text).toContain(record.donorName);
      expect(text).toContain(record.receiptNumber);
      expect(text).toContain('Zip Gala');
      expect(text).not.toContain('COPY');
    }
  });
});
