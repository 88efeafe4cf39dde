import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { insertDonation, insertManyDonations } from '../support/donation-rows.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Returns the cells of the first sheet by heading, with the number of their format. */
function cellsOf(file: Buffer): Record<string, { style: number; value: string } | undefined>[] {
  const xml = strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  const rows = [...xml.matchAll(/<row r="\d+">(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c r="([A-Z]+)\d+" s="(\d)"[^>]*>(?:<is><t [^>]*>|<v>)(.*?)<\/(?:t|v)>/gs)].map(
      ([, column = '', style, value = '']) => ({
        column,
        style: Number(style),
        value: value.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity),
      }),
    ),
  );
  const headings = rows.shift() ?? [];
  return rows.map((row) =>
    Object.fromEntries(
      headings.map(({ column, value }) => [value, row.find((cell) => cell.column === column)]),
    ),
  );
}

async function sheet(query: string) {
  const response = await admin
    .get(`/donations/export?format=xlsx&${query}`)
    .buffer(true)
    .responseType('blob');
  expect(response.status).toBe(200);
  return { file: response.body as Buffer, headers: response.headers as Record<string, string> };
}

const values = (row: ReturnType<typeof cellsOf>[number] | undefined) =>
  Object.fromEntries(Object.entries(row ?? {}).map(([heading, cell]) => [heading, cell?.value]));

describe('the spreadsheet of donations', () => {
  it('contains real dates and amounts, names that are never formulas, the address and Gift Aid', async () => {
    const event = await createEvent(app, admin.token, { name: 'Ball & Gala' });
    await admin.patch(`/events/${event.id}/settings`, { timezone: 'Europe/Berlin' }).expect(200);
    const maria = await createStaff(app, admin.token, event.id);
    const id = await insertDonation(app, event.id, {
      amount: 12_345,
      refundedAmount: 45,
      staffId: maria.id,
      staffName: maria.name,
      donorName: '=HYPERLINK("https://example.org","x")',
      message: 'two\nlines <b>',
      completedAt: '2026-10-25T00:30:00Z',
    });
    await sql(
      app,
      `UPDATE donation SET donor_address = 'Main Street 1', gift_aid = true, reference = '0047', note = '+1', tribute = $2, benefit_value = 900,
          benefit_text = '+Dinner'
        WHERE id = $1`,
      [id, { kind: 'memory', name: 'Anna', message: '=1', notifyEmail: 'maria@example.org' }],
    );
    const { file, headers } = await sheet(`eventId=${event.id}`);
    expect(headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(headers['content-disposition']).toMatch(/filename="donations-[\w-]+-\d{4}-\d\d-\d\d\.xlsx"/);
    const [row] = cellsOf(file);
    expect(values(row)).toEqual({
      // 25 October 2026, 2:30 in Berlin.
      Date: '46320',
      Time: '0.1041666667',
      Donor: '=HYPERLINK("https://example.org","x")',
      'E-mail': 'ada@example.org',
      Address: 'Main Street 1',
      'Gift Aid': 'yes',
      Tribute: 'in memory of',
      'Tribute to': 'Anna',
      'Message to the notified person': '=1',
      'E-mail of the notified person': 'maria@example.org',
      'Value of the benefit': '9.00',
      Benefit: '+Dinner',
      Amount: '123.45',
      Currency: 'EUR',
      Refunded: '0.45',
      Remaining: '123.00',
      Kind: 'Cash',
      Status: 'Received',
      Event: 'Ball & Gala',
      'Recorded by': 'Maria Lopez',
      'Receipt no.': undefined,
      Message: 'two\nlines <b>',
      Anonymous: 'no',
      Paddle: undefined,
      Reference: '0047',
      Note: '+1',
      'Fee paid by the donor': undefined,
      Fee: undefined,
      'Fee currency': undefined,
      'Payment provider': undefined,
      'Donation id': id,
    });
    expect([row?.Date, row?.Time, row?.Amount, row?.Donor].map((cell) => cell?.style)).toEqual([2, 3, 5, 7]);
  });

  it('uses the requested language, otherwise the language of the event, and the decimals of each currency', async () => {
    const event = await createEvent(app, admin.token, { currency: 'jpy' });
    await admin
      .patch(`/events/${event.id}/settings`, { locales: { default: 'de-AT', supported: ['de-AT'] } })
      .expect(200);
    await insertDonation(app, event.id, { amount: 5_000, currency: 'jpy', type: 'check' });
    const [german] = cellsOf((await sheet(`eventId=${event.id}`)).file);
    expect(values(german)).toMatchObject({ Betrag: '5000', Art: 'Scheck', Status: 'Eingegangen' });
    expect(german?.Betrag?.style).toBe(4);
    const [french] = cellsOf((await sheet(`eventId=${event.id}&language=fr`)).file);
    expect(values(french)).toMatchObject({ Montant: '5000', État: 'Reçu' });
    await admin.get('/donations/export?format=xlsx&language=_').expect(400);
  });

  it('contains every donation of the filters, and the audit records the format', async () => {
    const event = await createEvent(app, admin.token);
    await insertManyDonations(app, event.id, 1_500);
    await insertDonation(app, event.id, { amount: 777, type: 'check' });
    expect(cellsOf((await sheet(`eventId=${event.id}`)).file)).toHaveLength(1_501);
    expect(
      cellsOf((await sheet(`eventId=${event.id}&type=check`)).file).map((row) => row.Amount?.value),
    ).toEqual(['7.77']);
    const [entry] = await sql<{ detail: object }>(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'donations.export' ORDER BY id DESC LIMIT 1",
    );
    expect(entry?.detail).toEqual({ filters: ['eventId', 'type'], format: 'xlsx' });
  });
});
