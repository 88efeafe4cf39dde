import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import {
  ALL_COLUMNS,
  DONATION_COLUMNS,
  type DonationColumn,
  type DonationRow,
} from '../../src/donations/store/donation-columns.js';
import { refundsPending } from '../../src/donations/store/donation-store.js';
import { type AnswerField, DONATION_FIELDS, toDonation } from '../../src/donations/dto/donation.dto.js';
import { donationWriter, WHOLE_DONATION } from '../../src/donations/dto/donation-json.js';
import { as } from '../support/bearer.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { insertDonation } from '../support/donation-rows.js';
import { withService } from '../support/setup.js';

/** What a text of the database can be, and what JSON writes differently. */
const TEXTS = [
  '',
  'Ada "the first" Lovelace',
  'C:\\back\\slash/',
  'line\nfeed\r\ttab\b\f',
  ...Array.from({ length: 31 }, (_, code) => `control ${String.fromCharCode(code + 1)}`),
  'delete \u007f, next line \u0085, no-break \u00a0',
  'separators \u2028 \u2029',
  'emoji 🎁👩‍👩‍👧 and 𝔸',
  'last \uffff \ufffd \ufeff, private \ue000',
  'Zoë Straße Ñandú 王小明 עברית عربي',
  '</script><!-- ${x} {} [] , :',
  '\u0301 e\u0301',
  'a'.repeat(2_000),
];
const TIMES = [
  '2026-11-21 19:30:00+00',
  '2026-11-21 19:30:00.1+00',
  '2026-11-21 19:30:00.12+00',
  '2026-11-21 19:30:00.129999+00',
  '2026-11-21 19:30:00.000001+00',
  '2026-11-21 19:30:59.999999+00',
  '1969-12-31 23:59:59.999999+00',
  '0001-01-01 00:00:00.5+00',
  '0099-12-31 12:00:00.25+00',
  '0300-02-28 12:00:00+00',
  '9999-12-31 23:59:59.999+00',
  '12026-01-01 00:00:00.123456+00',
  '0044-03-15 12:00:00 BC',
];
const NUMBERS = [
  '0',
  '1',
  '-5',
  '999999999999999',
  '1000000000000000',
  '9007199254740991',
  '-9007199254740991',
];
const BEYOND = ['9007199254740992', '-9007199254740992', '9223372036854775807'];

const VALUES: Record<string, readonly unknown[]> = {
  uuid: [newId(), 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  text: TEXTS,
  boolean: [true, false],
  bigint: NUMBERS,
  timestamptz: TIMES,
  bytea: [Buffer.from([0, 255])],
  donation_type: ['card', 'wallet', 'cash', 'check', 'card_terminal', 'bank_transfer', 'pledge', 'other'],
  donation_status: ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'],
  message_state: ['visible', 'held', 'hidden'],
};
const COLUMNS = Object.keys(DONATION_COLUMNS) as DonationColumn[];
const NULLABLE = COLUMNS.filter((column) => DONATION_COLUMNS[column].nullable);

const app = withService();
let database: Database;

beforeAll(async () => {
  database = app.app.get(Database);
  // The same columns without the rules of what goes with what: here everything goes with everything.
  await sql(app, 'CREATE TABLE odd (LIKE donation)');
});

/** A row of which every value is the `turn`th that its type can have, but for the empty columns. */
async function insertOdd(turn: number, empty: (column: DonationColumn, index: number) => boolean) {
  const values = COLUMNS.map((column, index) => {
    if (DONATION_COLUMNS[column].nullable && empty(column, index)) return null;
    const possible = VALUES[DONATION_COLUMNS[column].type] ?? [];
    return possible[(turn + index) % possible.length];
  });
  await sql(
    app,
    `INSERT INTO odd (${COLUMNS.join(', ')}) VALUES (${values.map((_, index) => `$${index + 1}`).join(', ')})`,
    values,
  );
}

const read = async (columns: readonly string[], session?: string) => {
  const statement = { name: '', text: `SELECT ${columns.join(', ')} FROM odd ORDER BY ctid` };
  if (session === undefined) return await database.texts(statement);
  const client = await database.pool.connect();
  try {
    await client.query(session);
    const { rows } = await client.query<(string | null)[]>({
      text: statement.text,
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    });
    return rows;
  } finally {
    await client.query('RESET ALL');
    client.release();
  }
};
const mapped = () =>
  database.query<DonationRow>({ name: '', text: `SELECT ${ALL_COLUMNS} FROM odd ORDER BY ctid` });

describe('the JSON of a donation', () => {
  beforeAll(async () => {
    for (let turn = 0; turn < TEXTS.length; turn++) await insertOdd(turn, () => false);
    await insertOdd(0, () => true);
    // Each column alone empty, and alone given.
    for (const one of NULLABLE) {
      await insertOdd(1, (column) => column === one);
      await insertOdd(2, (column) => column !== one);
    }
    // Which of them are empty counted in binary, for each group of them that stand beside each other.
    for (let turn = 0; turn < 256; turn++)
      await insertOdd(turn, (column) => ((turn >> (NULLABLE.indexOf(column) % 8)) & 1) === 1);
  });

  it.each([undefined, 0n, 1n, 9007199254740991n])(
    'is, to the byte, what mapping and JSON.stringify make of it (%s on its way back)',
    async (pending) => {
      const rows = await mapped();
      const texts = await read(WHOLE_DONATION.columns);
      expect(texts.length).toBeGreaterThan(300);
      for (const [index, row] of rows.entries())
        expect(WHOLE_DONATION.json(texts[index] ?? [], pending)).toBe(
          JSON.stringify(toDonation(row, pending)),
        );
    },
  );

  it('is that for any choice of fields, in any order', async () => {
    const rows = await mapped();
    const choices: AnswerField[][] = [
      ...DONATION_FIELDS.map((field) => [field]),
      [...DONATION_FIELDS].reverse(),
      ['fee', 'coveredFee', 'giftAid'],
      ['recordedAt', 'refundPending', 'id'],
      ['donorAddress', 'amount', 'recordedAt', 'fee'],
    ];
    for (const fields of choices) {
      const writer = donationWriter(fields);
      const texts = await read(writer.columns);
      for (const [index, row] of rows.entries()) {
        const whole = toDonation(row, 7n);
        expect(writer.json(texts[index] ?? [], 7n)).toBe(
          JSON.stringify(Object.fromEntries(fields.map((field) => [field, whole[field]]))),
        );
      }
    }
  });

  it.each([
    "SET TIME ZONE 'Asia/Kolkata'",
    "SET TIME ZONE 'America/St_Johns'",
    "SET TIME ZONE 'Europe/Berlin'",
    "SET TIME ZONE '-00:30'",
  ])('does not depend on the zone of the session: %s', async (session) => {
    const rows = await mapped();
    const texts = await read(WHOLE_DONATION.columns, session);
    for (const [index, row] of rows.entries())
      expect(WHOLE_DONATION.json(texts[index] ?? [])).toBe(JSON.stringify(toDonation(row)));
  });

  it('names the columns that the next page goes on from', async () => {
    const rows = await mapped();
    const writer = donationWriter(['currency']);
    const texts = await read(writer.columns);
    for (const [index, row] of rows.entries()) {
      expect(writer.read(texts[index] ?? [], 'id')).toBe(row.id);
      expect(writer.read(texts[index] ?? [], 'amount')).toBe(String(row.amount));
      expect(writer.read(texts[index] ?? [], 'donor_name')).toBeNull();
    }
  });

  it.each(BEYOND)('refuses the number %s as the mapping does', async (number) => {
    const writer = donationWriter(['fee']);
    const texts = writer.columns.map((column) => (column === 'fee' ? number : '1'));
    const [row] = await mapped();
    const refusal = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    const refused = refusal(() => writer.json(texts));
    expect(refused).toMatchObject({ code: 'TOTAL_OUT_OF_RANGE' });
    expect(refused).toEqual(refusal(() => toDonation({ ...(row as DonationRow), fee: BigInt(number) })));
  });

  it('knows no half of a pair: the database has none', async () => {
    await expect(sql(app, "SELECT U&'\\D83C'")).rejects.toThrow(/surrogate/);
    const [row] = await sql<{ text: string }>(app, 'SELECT $1::text AS text', ['half \ud83c']);
    expect(row?.text).toBe('half \ufffd');
  });
});

describe('GET /donations', () => {
  it('answers, to the byte, what its parts say', async () => {
    const token = await adminToken(app);
    const event = await createEvent(app, token);
    const ids: string[] = [];
    for (const [index, text] of TEXTS.entries())
      ids.push(
        await insertDonation(app, event.id, {
          donorName: text || null,
          message: text || null,
          amount: 1000 + index,
          type: index % 3 === 0 ? 'card' : 'cash',
        }),
      );
    await sql(
      app,
      `INSERT INTO refund (id, donation_id, provider, payment_id, amount, currency, status, actor_kind,
         created_at, updated_at)
       SELECT gen_random_uuid(), id, 'stripe', 'pi_' || id, 7, 'eur', 'pending', 'admin', now(), now()
       FROM donation WHERE type = 'card'`,
    );
    const bytes = async (query: string) => {
      const response = await fetch(`${app.url}/donations?eventId=${event.id}${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const body = await response.text();
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
      expect(response.headers.get('etag')).toBeNull();
      return body;
    };
    const rows = await database.query<DonationRow>(
      { name: '', text: `SELECT ${ALL_COLUMNS} FROM donation WHERE event_id = $1 ORDER BY id DESC` },
      [event.id],
    );
    const pending = await refundsPending(database, ids);
    expect(pending.size).toBeGreaterThan(10);
    const data = rows.map((row) => toDonation(row, pending.get(row.id)));
    expect(await bytes('&limit=200')).toBe(
      JSON.stringify({ data, total: rows.length, limit: 200, offset: 0, nextCursor: null }),
    );
    expect(await bytes('&limit=10&offset=5&sort=-createdAt')).toBe(
      JSON.stringify({
        data: data.slice(5, 15),
        total: rows.length,
        limit: 10,
        offset: 5,
        nextCursor: Buffer.from(`-createdAt|${data[14]?.id}`).toString('base64url'),
      }),
    );
    expect(await bytes('&limit=2&sort=amount&fields=message,refundPending,fee')).toBe(
      JSON.stringify({
        data: [...data]
          .reverse()
          .slice(0, 2)
          .map(({ message, refundPending, fee }) => ({ message, refundPending, fee })),
        total: rows.length,
        limit: 2,
        offset: 0,
        nextCursor: Buffer.from(`amount|1001|${ids[1]}`).toString('base64url'),
      }),
    );
    expect(await bytes('&offset=500')).toBe(
      JSON.stringify({ data: [], total: rows.length, limit: 50, offset: 500, nextCursor: null }),
    );
    expect(await bytes('&status=FAILED')).toBe(
      JSON.stringify({ data: [], total: 0, limit: 50, offset: 0, nextCursor: null }),
    );
  });

  it('says first that an event does not exist, whatever else is wrong', async () => {
    const token = await adminToken(app);
    const event = await createEvent(app, token);
    const code = async (query: string) => {
      const { body } = await as(app, token).get(`/donations?${query}`);
      return (body as { code?: string }).code;
    };
    for (const wrong of ['cursor=abc', 'sort=amount&cursor=abc']) {
      expect(await code(`eventId=${newId()}&${wrong}`)).toBe('EVENT_NOT_FOUND');
      expect(await code(`eventId=nowhere&${wrong}`)).toBe('EVENT_NOT_FOUND');
      expect(await code(`eventId=${event.id}&${wrong}`)).toMatch(/VALIDATION_FAILED|CURSOR_INVALID/);
      expect(await code(`eventId=${event.id.toUpperCase()}&${wrong}`)).toMatch(
        /VALIDATION_FAILED|CURSOR_INVALID/,
      );
    }
    expect(await code(`eventId=${newId()}`)).toBe('EVENT_NOT_FOUND');
    expect(await code(`eventId=${newId()}&offset=7`)).toBe('EVENT_NOT_FOUND');
    expect(await code(`eventId=${event.id.toUpperCase()}`)).toBeUndefined();
  });
});
