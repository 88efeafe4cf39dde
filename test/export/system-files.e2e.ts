import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { request } from 'node:http';
import { setInterval } from 'node:timers';
import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { newId } from '../../src/common/crypto/ids.js';
import { insertDonation, insertManyDonations } from '../support/donation-rows.js';
import { createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { until } from '../support/until.js';
import { csvObjects } from './parse-csv.js';

const app = withService();
const admin = withAdmin(app);

const FILES = {
  npsp: ['npsp-data-import.csv'],
  civicrm: ['1-contacts.csv', '2-contributions.csv'],
  raisersedge: ['1-constituents.csv', '2-gifts.csv'],
} as const;
type System = keyof typeof FILES;
const SYSTEMS = Object.keys(FILES) as System[];

async function zipOf(format: System, query: Record<string, string> = {}) {
  const response = await admin
    .get('/donations/export')
    .query({ format, ...query })
    .buffer(true)
    .responseType('blob');
  expect(response.status).toBe(200);
  const files = unzipSync(response.body as Buffer);
  return {
    headers: response.headers as Record<string, string>,
    files: Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)])),
  };
}

const rowsOf = async (format: System, name: string, query: Record<string, string>) =>
  csvObjects((await zipOf(format, query)).files[name] ?? '');

/** Inserts a row whose values are not JSON. Returns nothing. */
async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  await sql(
    app,
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
}

const idOf = (number: number) => `019ca95e-0000-7000-8000-${String(number).padStart(12, '0')}`;
const keyOf = (name: string) => Buffer.from(name.padEnd(32, '.').slice(0, 32));

async function give(event: EventFixture, number: number, row: Record<string, unknown>): Promise<void> {
  await insert('donation', {
    id: idOf(number),
    event_id: event.id,
    amount: 2500,
    currency: 'eur',
    type: 'cash',
    status: 'COMPLETED',
    completed_at: '2026-03-01T23:30:00Z',
    created_at: '2026-03-01T23:30:00Z',
    updated_at: '2026-03-01T23:30:00Z',
    ...(row.provider !== undefined && { paid_at: '2026-03-01T23:30:00Z' }),
    ...row,
  });
}

/** Donations of all kinds with fixed ids, for the files that the repository stores. */
async function fixedDonations(): Promise<EventFixture> {
  const event = await createEvent(app, admin.token, { name: 'Gala "2026", Berlin', slug: 'gala-of-files' });
  await admin
    .patch(`/events/${event.id}/settings`, {
      timezone: 'Europe/Berlin',
      accounting: { campaign: 'Gala 2026', appeal: 'GALA26', fund: 'UNREST' },
    })
    .expect(200);
  const guest = newId();
  await insert('guest', {
    id: guest,
    event_id: event.id,
    name: 'Ludwig van der Berg',
    last_name: 'van der Berg',
  });
  await insert('guest', {
    id: newId(),
    event_id: event.id,
    name: 'Vera Renamed',
    last_name: 'Neumann',
    donor_key: keyOf('vera'),
  });
  const address = {
    line1: 'Main Street 1',
    line2: 'Floor 2',
    postcode: '10115',
    city: 'Berlin',
    country: 'DE',
  };
  await give(event, 1, {
    donor_name: 'Ada Lovelace',
    donor_email: 'ada@example.org',
    donor_key: keyOf('ada'),
    address: JSON.stringify(address),
    donor_address: 'Main Street 1\nFloor 2\n10115 Berlin\nGermany',
  });
  await give(event, 2, { donor_name: 'Ludwig van der Berg', guest_id: guest });
  await give(event, 3, {
    donor_name: 'Vera Renamed',
    donor_email: 'v@example.org',
    donor_key: keyOf('vera'),
  });
  await give(event, 4, {
    donor_name: '=HYPERLINK("https://example.org","x")',
    type: 'check',
    reference: '-0047',
    message: 'Two\nlines, "quoted"',
    donor_address: '+1 Street\n12345 Town',
  });
  await give(event, 5, {
    donor_name: 'דוד כהן',
    donor_email: 'david@example.org',
    donor_key: keyOf('david'),
    type: 'card',
    provider: 'stripe',
    payment_id: 'pi_files_5',
    method: 'card',
    amount: 10_000,
    refunded_amount: 2_500,
    fee: 175,
    fee_currency: 'eur',
    message: 'בהצלחה!',
  });
  await give(event, 6, {
    donor_name: '山田\u3000太郎',
    type: 'wallet',
    provider: 'stripe',
    payment_id: 'pi_files_6',
    method: 'card',
    wallet: 'apple_pay',
    amount: 5_000,
    currency: 'jpy',
    fee: 20,
    fee_currency: 'eur',
  });
  await give(event, 7, {
    donor_name: 'Fatima',
    type: 'card',
    provider: 'stripe',
    payment_id: 'pi_files_7',
    method: 'sepa_debit',
    amount: 1_234_567,
    currency: 'kwd',
    is_anonymous: true,
  });
  await give(event, 8, { type: 'bank_transfer', reference: 'RF18 5390' });
  await give(event, 9, { donor_email: 'only@example.org', donor_key: keyOf('only'), type: 'other' });
  // After the erasure of a donor, the digest stays and all else is gone.
  await give(event, 10, { donor_key: keyOf('erased') });
  await give(event, 11, { donor_name: 'Not counted', status: 'PENDING', type: 'pledge', completed_at: null });
  await give(event, 12, { donor_name: 'Not counted', status: 'REFUNDED', refunded_amount: 2500 });
  await give(event, 13, { donor_name: 'Not counted', status: 'CANCELLED' });
  await give(event, 14, { donor_name: 'Bob Smith', donor_email: 'bob@example.org', donor_key: keyOf('bob') });
  await insert('gift_aid_text', {
    digest: keyOf('text'),
    version: '1',
    scope: 'this',
    text: 'I am a taxpayer',
  });
  await insert('gift_aid_declaration', {
    id: newId(),
    donation_id: idOf(14),
    donor_key: keyOf('bob'),
    text_digest: keyOf('text'),
    scope: 'this',
    channel: 'online',
    first_name: 'Robert James',
    last_name: 'Smith Jones',
    address: JSON.stringify(address),
    declared_at: '2026-03-01T12:00:00Z',
  });
  // The second donation of a donor, with a newer name but without an address.
  await give(event, 15, {
    donor_name: 'A. Lovelace',
    donor_email: 'ada@example.org',
    donor_key: keyOf('ada'),
  });
  return event;
}

describe('the files for other systems', () => {
  it('the files for other systems are equal to the stored files, byte for byte', async () => {
    const event = await fixedDonations();
    for (const system of SYSTEMS) {
      const { files, headers } = await zipOf(system, { eventId: event.slug });
      expect(headers['content-type']).toBe('application/zip');
      expect(headers['content-disposition']).toMatch(
        new RegExp(`^attachment; filename="donations-gala-of-files-\\d{4}-\\d\\d-\\d\\d-${system}\\.zip"`),
      );
      expect(Object.keys(files)).toEqual(['README.txt', ...FILES[system]]);
      for (const name of FILES[system]) {
        const stored = new URL(`./stored-files/${system}-${name}`, import.meta.url);
        if (process.env.STORE_FILES !== undefined) await writeFile(stored, files[name] ?? '');
        expect(files[name]).toBe(await readFile(stored, 'utf8'));
        for (const heading of files[name]?.split('\r\n')[0]?.split(',') ?? [])
          expect(files['README.txt']).toContain(heading.replaceAll('"', ''));
      }
    }
  });

  it('name the contact of each donation in the file of contacts, once', async () => {
    const event = await createEvent(app, admin.token);
    await insertManyDonations(app, event.id, 300, {
      donor_key: "decode(md5((i % 40)::text), 'hex')",
      donor_email: "(i % 40) || '@example.org'",
    });
    const { files } = await zipOf('civicrm', { eventId: event.id });
    const contacts = csvObjects(files['1-contacts.csv'] ?? '').map((row) => row['External Identifier']);
    const contributions = csvObjects(files['2-contributions.csv'] ?? '');
    expect(contacts).toHaveLength(40);
    expect(new Set(contributions.map((row) => row['External Identifier']))).toEqual(new Set(contacts));
    expect(contributions).toHaveLength(300);
    const gifts = await rowsOf('raisersedge', '2-gifts.csv', { eventId: event.id });
    expect(gifts.every(({ ImportID, GFImpID }) => ImportID?.length === 20 && GFImpID?.length === 20)).toBe(
      true,
    );
    expect(new Set(gifts.map(({ GFImpID }) => GFImpID)).size).toBe(300);
  });

  it('use the codes of the event, otherwise those of the organization, and the columns in the settings', async () => {
    const [own, other] = [await createEvent(app, admin.token), await createEvent(app, admin.token)];
    for (const { id } of [own, other]) await insertDonation(app, id, { type: 'check' });
    await admin
      .patch('/settings/global', {
        accounting: { fund: '=GENERAL', financialType: 'Gala', salesforceDonationId: 'Gala_Id__c' },
      })
      .expect(200);
    await admin.patch(`/events/${own.id}/settings`, { accounting: { fund: 'OWN' } }).expect(200);
    const query = { type: 'check', from: '2020-01-01' };
    const funds = (await rowsOf('raisersedge', '2-gifts.csv', query)).map(({ FundID }) => FundID);
    expect(new Set(funds)).toEqual(new Set(["'=GENERAL", 'OWN', 'UNREST']));
    expect(await rowsOf('civicrm', '2-contributions.csv', { eventId: own.id })).toMatchObject([
      { 'Financial Type': 'Gala' },
    ]);
    const [row = {}] = await rowsOf('npsp', 'npsp-data-import.csv', { eventId: own.id });
    expect(Object.keys(row)).toContain('Gala_Id__c');
    await admin.patch('/settings/global', { accounting: { salesforceDonationId: 'x"; DROP' } }).expect(400);
  });

  it('contain a donor as anonymous after the erasure', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await admin
      .post('/donations', {
        eventId: event.id,
        amount: 5000,
        type: 'cash',
        donorName: 'Grace Hopper',
        donorEmail: 'grace@example.org',
      })
      .expect(201);
    const query = { eventId: event.id };
    const [before] = await rowsOf('civicrm', '1-contacts.csv', query);
    expect(before).toMatchObject({ 'First Name': 'Grace', 'Last Name': 'Hopper' });
    expect(before?.['External Identifier']).toMatch(/^fds-[0-9a-f]{16}$/);
    const { body: found } = await admin.get('/donors?search=grace@example.org').expect(200);
    const { data } = found as { data: { key: string }[] };
    await admin.delete(`/donors/${data[0]?.key}`).expect(200);
    expect(await rowsOf('civicrm', '1-contacts.csv', query)).toMatchObject([
      { 'External Identifier': 'fds-anonymous', 'Last Name': 'Anonymous', Email: '' },
    ]);
    expect(await rowsOf('civicrm', '2-contributions.csv', query)).toMatchObject([
      { 'External Identifier': 'fds-anonymous', 'Transaction ID': (body as { id: string }).id },
    ]);
  });

  it('need the capability of the export, and the audit records the format', async () => {
    const event = await createEvent(app, admin.token);
    const staff = await createStaff(app, admin.token, event.id);
    const path = `/donations/export?format=npsp&eventId=${event.id}`;
    await app.http.get(path).auth(staff.token, { type: 'bearer' }).expect(403);
    await app.http.get(path).expect(401);
    await zipOf('npsp', { eventId: event.id });
    const entries = await sql(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'donations.export' AND subject_id = $1",
      [event.id],
    );
    expect(entries).toEqual([{ detail: { filters: ['eventId'], format: 'npsp' } }]);
  });

  it('have only headings if no donation counts', async () => {
    const event = await createEvent(app, admin.token);
    for (const system of SYSTEMS) {
      const { files } = await zipOf(system, { eventId: event.id });
      for (const name of FILES[system]) expect(files[name]?.split('\r\n')).toHaveLength(2);
    }
  });
});

describe('files of 100,000 donations', () => {
  async function discard(path: string): Promise<number> {
    const download = request(new URL(path, app.url), {
      headers: { authorization: `Bearer ${admin.token}` },
    }).end();
    const [response] = (await once(download, 'response')) as [NodeJS.ReadableStream];
    let bytes = 0;
    for await (const piece of response) bytes += (piece as Buffer).length;
    return bytes;
  }

  it('need little more memory than empty files', async () => {
    const event = await createEvent(app, admin.token);
    const path = `/donations/export?format=raisersedge&eventId=${event.id}`;
    // The first download starts the thread and compiles the code.
    await discard(path);
    await insertManyDonations(app, event.id, 100_000, { message: "repeat('much to say ', 30)" });
    const before = process.memoryUsage().rss;
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
    const bytes = await discard(path);
    clearInterval(timer);
    expect(bytes).toBeGreaterThan(2_000_000);
    expect((peak - before) / 1024 / 1024).toBeLessThan(100);
  }, 120_000);

  it('release the database connection when the reader disconnects', async () => {
    const path = '/donations/export?format=civicrm';
    const download = request(new URL(path, app.url), {
      headers: { authorization: `Bearer ${admin.token}` },
    }).end();
    download.on('error', () => undefined);
    const [response] = (await once(download, 'response')) as [NodeJS.ReadableStream];
    await once(response, 'readable');
    download.destroy();
    await until(async () => {
      const [row] = await sql<{ count: number }>(
        app,
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY (%' AND state = 'active'",
      );
      return row?.count === 0;
    });
  });
});
