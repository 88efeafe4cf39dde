import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { finished } from 'node:stream/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/data/database.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { csvObjects, parseCsv } from './parse-csv.js';
import { insertDonation, insertManyDonations } from '../support/donation-rows.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';

const { app, admin, event } = withEvent({ fields: { name: '=Gala, "2026"', slug: 'csv-gala' } });

const ask = (query: Record<string, string>, token = admin.token) =>
  app.http.get('/donations/export').query(query).auth(token, { type: 'bearer' });

async function csv(query: Record<string, string>): Promise<string> {
  const { body } = await ask(query).buffer(true).responseType('blob').expect(200);
  return (body as Buffer).toString('utf8');
}

const records = async (query: Record<string, string>) => csvObjects((await csv(query)).slice(1));

describe('the donations CSV', () => {
  it('the donations CSV contains the fields of a donation, then decimals, event name, fee and pending refunds', async () => {
    const maria = await createStaff(app, admin.token, event.id);
    const id = await insertDonation(app, event.id, {
      amount: 12345,
      refundedAmount: 45,
      staffId: maria.id,
      staffName: maria.name,
      message: 'Thanks, all',
    });
    const text = await csv({ eventId: event.id });
    expect(text.startsWith('\uFEFFid,eventId,amount,currency,')).toBe(true);
    expect(csvObjects(text.slice(1))).toEqual([
      {
        id,
        eventId: event.id,
        amount: '12345',
        currency: 'eur',
        type: 'cash',
        status: 'COMPLETED',
        donorName: 'Ada Lovelace',
        donorEmail: 'ada@example.org',
        isAnonymous: 'false',
        message: 'Thanks, all',
        staffId: maria.id,
        staffName: maria.name,
        refundedAmount: '45',
        receiptNumber: '',
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:00:00.000Z',
        completedAt: '2026-03-01T12:00:00.000Z',
        recordedAt: '2026-03-01T12:00:00.000Z',
        terminalId: '',
        paddle: '',
        roundId: '',
        paidBy: '',
        amountDecimal: '123.45',
        refundedAmountDecimal: '0.45',
        eventName: '\'=Gala, "2026"',
        fee: '',
        feeCurrency: '',
        refundPending: '',
        donorAddress: '',
        giftAid: '',
        coveredFee: '',
        reference: '',
        note: '',
        source: '',
        method: '',
        wallet: '',
        giftAidDeclarationId: '',
        giftAidDeclaredAt: '',
        isAmountHidden: 'false',
        tributeKind: '',
        tributeName: '',
        tributeMessage: '',
        tributeNotifyEmail: '',
        pledgedAmount: '',
        benefitValue: '',
        benefitText: '',
        isPastDonation: 'false',
        team: '',
        matchPoolId: '',
      },
    ]);
  });

  it('the donations CSV is a download that no cache stores', async () => {
    const response = await ask({ eventId: event.slug }).expect(200);
    expect(response.headers['content-type']).toMatch(/^text\/csv; charset=utf-8/);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="donations-csv-gala-\d{4}-\d\d-\d\d\.csv"; filename\*=UTF-8''donations-csv-gala-/,
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 40 123', "'+49 40 123"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', "'\r\nx"],
    ['＝1', "'＝1"],
    ['a=b', 'a=b'],
    ["'quoted'", "'quoted'"],
    ['comma, "quotes"', 'comma, "quotes"'],
    ['two\nlines', 'two\r\nlines'],
    ['two\r\nlines\n', 'two\r\nlines\r\n'],
    ['back\\slash \\N \\.', 'back\\slash \\N \\.'],
    ['\\.', '\\.'],
    ['山田 太郎 😀', '山田 太郎 😀'],
    ['דוד', 'דוד'],
  ])('the donations CSV writes the message %j as %j', async (message, expected) => {
    const own = await createEvent(app, admin.token);
    await insertDonation(app, own.id, { message, donorName: message.trim() });
    expect((await records({ eventId: own.id })).map((record) => record.message)).toEqual([expected]);
  });

  it('the donations CSV writes both absent and empty texts as empty cells', async () => {
    const own = await createEvent(app, admin.token);
    await insertDonation(app, own.id, { donorName: null, donorEmail: null, message: null });
    expect(await records({ eventId: own.id })).toMatchObject([
      { donorName: '', donorEmail: '', message: '', staffId: '' },
    ]);
  });

  it.each([
    ['jpy', 5000, '5000'],
    ['eur', 1, '0.01'],
    ['kwd', 1234567, '1234.567'],
    ['eur', 9007199254740991, '90071992547409.91'],
    ['clf', 10001, '1.0001'],
  ])('the donations CSV writes amounts in %s exactly', async (currency, amount, decimal) => {
    const own = await createEvent(app, admin.token);
    await insertDonation(app, own.id, { currency, amount });
    expect(await records({ eventId: own.id })).toMatchObject([
      { amount: String(amount), amountDecimal: decimal },
    ]);
  });

  it('the donations CSV contains only the header if there are no donations', async () => {
    const own = await createEvent(app, admin.token);
    expect(parseCsv((await csv({ eventId: own.id })).slice(1))).toHaveLength(1);
  });

  it('the donations CSV contains all events without an eventId, newest first', async () => {
    const other = await createEvent(app, admin.token);
    const [older, newer] = [await insertDonation(app, event.id), await insertDonation(app, other.id)];
    const ids = (await records({})).map(({ id }) => id);
    expect(ids.indexOf(newer)).toBe(ids.indexOf(older) - 1);
  });

  it('the donations CSV accepts the filters of the donation list', async () => {
    const own = await createEvent(app, admin.token);
    const cash = await insertDonation(app, own.id, { donorName: 'Émile Zola 100%' });
    const card = await insertDonation(app, own.id, { type: 'card', donorName: "O'Neill \\ $1" });
    const pledge = await insertDonation(app, own.id, { type: 'pledge', status: 'PENDING' });
    const found = async (query: Record<string, string>) =>
      (await records({ eventId: own.id, ...query })).map(({ id }) => id);
    expect(await found({ status: 'PENDING' })).toEqual([pledge]);
    expect(await found({ type: 'card' })).toEqual([card]);
    expect(await found({ search: "o'neill \\ $1" })).toEqual([card]);
    expect(await found({ search: '100%' })).toEqual([cash]);
    expect(await found({ search: "'; DROP TABLE donation; --" })).toEqual([]);
    expect(await found({ from: '2020-01-01', status: 'COMPLETED' })).toEqual([card, cash]);
    expect(await found({ to: '2020-01-01' })).toEqual([]);
  });

  it('the donations CSV contains every one of many rows, in records of equal length', async () => {
    const own = await createEvent(app, admin.token);
    await insertManyDonations(app, own.id, 20_000, {
      donor_name: `'Line' || E'\\n' || repeat('x', i % 97) || '"'`,
    });
    const [, ...rows] = parseCsv((await csv({ eventId: own.id })).slice(1));
    expect(rows).toHaveLength(20_000);
    expect(new Set(rows.map(([id]) => id)).size).toBe(20_000);
  });
});

describe('a request for the donations CSV', () => {
  it('records the CSV export in the audit, without the searched text', async () => {
    const own = await createEvent(app, admin.token);
    await ask({ eventId: own.id, search: 'Ada Lovelace' }).expect(200);
    const rows = await sql<{ actor_kind: string; detail: unknown }>(
      app,
      "SELECT actor_kind, detail FROM audit_entry WHERE action = 'donations.export' AND subject_id = $1",
      [own.id],
    );
    expect(rows).toEqual([{ actor_kind: 'admin', detail: { filters: ['eventId', 'search'] } }]);
  });

  it.each([
    ['an unknown event', { eventId: 'no-such-event' }, 404],
    ['an unknown status', { status: 'DONE' }, 400],
    ['an unknown parameter', { limit: '5' }, 400],
    ['an invalid date', { from: 'yesterday' }, 400],
  ])('the donations CSV refuses %s', async (_, query: Record<string, string>, status) => {
    const { body } = await ask(query).expect(status);
    expect(body).toMatchObject({
      statusCode: status,
      message: expect.any(String),
      error: expect.any(String),
    });
  });

  it('refuses the donations CSV to staff and the public', async () => {
    const { token } = await createStaff(app, admin.token, event.id);
    await ask({ eventId: event.id }, token).expect(403);
    await app.http.get('/donations/export').expect(401);
  });

  it('the donations CSV returns an ordinary error if the database refuses the export', async () => {
    await sql(app, 'ALTER TABLE donation RENAME COLUMN donor_email TO hidden');
    try {
      const { body, headers } = await ask({}).expect(500);
      expect(body).toEqual({
        statusCode: 500,
        message: 'Internal Server Error',
        error: 'Internal Server Error',
        code: 'INTERNAL_ERROR',
      });
      expect(headers['content-disposition']).toBeUndefined();
    } finally {
      await sql(app, 'ALTER TABLE donation RENAME COLUMN hidden TO donor_email');
    }
    await ask({ eventId: event.id }).expect(200);
  });
});

describe('a slow reader of the donations CSV', () => {
  const waiting = async () =>
    (
      await sql<{ count: number }>(
        app,
        `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'COPY (%' AND state = 'active' AND backend_type = 'client backend'`,
      )
    )[0]?.count;

  const downloads: ClientRequest[] = [];
  afterEach(() => {
    for (const download of downloads.splice(0)) download.destroy();
  });

  async function open(): Promise<{ stop: () => void; response: NodeJS.ReadableStream }> {
    const url = new URL('/donations/export', app.url);
    const download = request(url, { headers: { authorization: `Bearer ${admin.token}` } }).end();
    download.on('error', () => undefined);
    downloads.push(download);
    const [response] = (await once(download, 'response')) as [NodeJS.ReadableStream];
    return { stop: () => download.destroy(), response };
  }

  beforeAll(async () => {
    const big = await createEvent(app, admin.token);
    await insertManyDonations(app, big.id, 40_000, { message: "repeat('much to say ', 30)" });
  });

  it('when a slow reader disconnects, the statement ends and the database connection is released', async () => {
    const { stop, response } = await open();
    await once(response, 'readable');
    await until(async () => (await waiting()) === 1);
    stop();
    await until(async () => (await waiting()) === 0);
    const { pool } = app.app.get(Database);
    await until(() => pool.idleCount === pool.totalCount);
    await ask({ eventId: event.id }).expect(200);
  });

  it('only four slow exports run at once; the next one answers 503', async () => {
    const open4 = await Promise.all([open(), open(), open(), open()]);
    const { body, headers } = await ask({}).expect(503);
    expect(body).toMatchObject({ code: 'EXPORTS_BUSY', error: 'Service Unavailable' });
    expect(headers['retry-after']).toBe('15');
    for (const { stop } of open4) stop();
    await until(async () => (await waiting()) === 0);
    await ask({ eventId: event.id }).expect(200);
  });

  it('when the database connection breaks, the download is aborted and does not end normally', async () => {
    const { response } = await open();
    await once(response, 'readable');
    await sql(
      app,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'COPY (%' AND backend_type = 'client backend'`,
    );
    response.resume();
    await expect(finished(response)).rejects.toThrow('aborted');
    await ask({ eventId: event.id }).expect(200);
  });
});
