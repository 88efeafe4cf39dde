import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { EXPLAIN_EVENT, sumsOf } from '../../src/reporting/explain/explain.sql.js';
import { startApp } from '../support/app.js';
import { as, errorBody, type Caller } from '../support/bearer.js';
import { DonationBook } from '../support/donations.js';
import { insertManyDonations } from '../support/donation-rows.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';
import { expectExplained, expectSum, type ExplainedBody, explained } from './explained.js';
import { DATABASE_TIMES } from '../../src/config/app-config.js';

const { app, admin, event } = withEvent();

const record = async (fields: object, eventId = event.id, caller: Caller = admin) =>
  (await caller.post('/donations', { amount: 1000, type: 'cash', eventId, ...fields }).expect(201)).body
    .id as string;
const cancel = (id: string, body: object) =>
  admin.post(`/donations/${id}/cancel`, body).set('Idempotency-Key', newId()).expect(200);

describe('GET /events/:id/explain-total', () => {
  it('explains counted, refunded and uncounted donations of a total', async () => {
    await record({ donorEmail: 'ada@example.org' });
    await record({ amount: 500, type: 'check' });
    await cancel(await record({ amount: 700 }), { shouldRefund: true, amount: 200 });
    await cancel(await record({ amount: 300 }), { shouldRefund: true });
    await cancel(await record({ amount: 90 }), { shouldRefund: false });
    await record({ amount: 5000, type: 'pledge' });
    await cancel(await record({ amount: 50, type: 'pledge' }), { shouldRefund: false });
    const { total, donorCount, lines } = await explained(app, admin.token, event.slug);
    expect({ total, donorCount }).toEqual({ total: 2000, donorCount: 3 });
    expect(
      lines.map(({ kind, type, count, amount, inTotal }) => [kind, type, count, amount, inTotal]),
    ).toEqual([
      ['counted', 'cash', 2, 1700, true],
      ['counted', 'check', 1, 500, true],
      ['refunded', 'cash', 1, -200, true],
      ['corrected', 'cash', 1, 90, false],
      ['pledged', 'pledge', 1, 5000, false],
      ['cancelled', 'pledge', 1, 50, false],
      ['refunded_whole', 'cash', 1, 300, false],
    ]);
    await expectExplained(app, admin.token, event.id);
  });

  it('the explanation accepts a currency, and answers 404 for an unknown event and 400 for an unknown currency', async () => {
    expect(await explained(app, admin.token, event.id, 'usd')).toMatchObject({
      currency: 'usd',
      total: 0,
      lines: [],
    });
    await admin.get(`/events/${newId()}/explain-total`).expect(404);
    await admin.get(`/events/${event.id}/explain-total?currency=xxq`).expect(400);
  });
});

describe('GET /totals/explain', () => {
  it('the explanation of all events adds up by currency', async () => {
    const other = await createEvent(app, admin.token, { currency: 'chf' });
    await record({ amount: 1234 }, other.id);
    const { body } = await admin.get('/totals/explain').expect(200);
    const data = (body as { data: ExplainedBody[] }).data;
    expect(data.map(({ currency }) => currency)).toEqual(['chf', 'eur']);
    data.forEach(expectSum);
    expect(data[0]).toMatchObject({ total: 1234, donorCount: 1 });
    expect(data[0]?.lines).toEqual([
      {
        kind: 'counted',
        type: 'cash',
        count: 1,
        amount: 1234,
        inTotal: true,
        filter: { currency: 'chf', status: 'COMPLETED', type: 'cash' },
      },
    ]);
  });
});

describe('GET /donations/totals', () => {
  it('the donation totals add up the donations in the list', async () => {
    const evening = await createEvent(app, admin.token);
    const member = await createStaff(app, admin.token, evening.id);
    await record({ amount: 1000, donorName: 'Ada' }, evening.id, as(app, member.token));
    await record({ amount: 250, type: 'check', donorName: 'Adam' }, evening.id);
    await record({ amount: 40, type: 'pledge' }, evening.id);
    await cancel(await record({ amount: 500 }, evening.id), { shouldRefund: true, amount: 100 });
    const sums = async (query: string, caller: Caller = admin) =>
      (await caller.get(`/donations/totals?eventId=${evening.id}${query}`).expect(200)).body.byCurrency;
    const eur = { currency: 'eur' };
    expect(await sums('')).toEqual([
      {
        ...eur,
        count: 4,
        amount: 1790,
        refunded: 100,
        net: 1690,
        inTotals: 1650,
        received: 1750,
        unpaid: 40,
      },
    ]);
    expect(await sums('&status=COMPLETED,REFUNDED&type=cash')).toEqual([
      { ...eur, count: 2, amount: 1500, refunded: 100, net: 1400, inTotals: 1400, received: 1500, unpaid: 0 },
    ]);
    expect(await sums('&search=ada')).toMatchObject([{ count: 2, amount: 1250 }]);
    expect(await sums('&refunded=true')).toMatchObject([{ count: 1, amount: 500 }]);
    expect(await sums('&refunded=false')).toMatchObject([{ count: 3, amount: 1290 }]);
    expect(await sums('&currency=usd')).toEqual([]);
    // Staff get sums of only their own records, as in the list.
    expect(await sums('', as(app, member.token))).toMatchObject([{ count: 1, amount: 1000 }]);
    const stranger = await createStaff(app, admin.token, (await createEvent(app, admin.token)).id);
    const { body } = await as(app, stranger.token).get(`/donations/totals?eventId=${evening.id}`).expect(404);
    expect(body).toEqual(errorBody(404, 'Not Found', 'EVENT_NOT_FOUND'));
  });

  it.each([
    'status=PAID',
    'status=COMPLETED,PAID',
    'status=',
    'status=FAILED&status=PENDING',
    'refunded=yes',
    'disputed=maybe',
    'cancelledAs=x',
    'currency=eurr',
  ])('the donation totals refuse %s', async (query) => {
    for (const path of ['/donations/totals', '/donations', '/donations/export'])
      expect((await admin.get(`${path}?${query}`).expect(400)).body.code).toBe('VALIDATION_FAILED');
  });
});

describe('explanations with very many donations', () => {
  const MANY = 30_000;
  let big: string;
  const book = new DonationBook(app);

  beforeAll(async () => {
    big = (await book.event()).id;
    // The rows are as wide as real ones. A second event has rows too.
    const wide = { donor_email: "'donor-' || i || '@example.org'", message: "repeat('For the roof. ', 20)" };
    await insertManyDonations(app, (await book.event()).id, MANY, wide);
    await insertManyDonations(app, big, MANY, {
      ...wide,
      status: "CASE WHEN i % 50 = 0 THEN 'PENDING' ELSE 'COMPLETED' END::donation_status",
      type: "CASE WHEN i % 50 = 0 THEN 'pledge' WHEN i % 3 = 0 THEN 'check' ELSE 'cash' END::donation_type",
      refunded_amount: 'CASE WHEN i % 400 = 1 THEN 5 ELSE 0 END',
    });
    // The vacuum cannot mark pages as visible to all while any transaction is open. So it runs again until it can.
    await until(async () => {
      await sql(app, 'VACUUM (ANALYZE, FREEZE) donation');
      const [table] = await sql<{ visible: boolean }>(
        app,
        "SELECT relallvisible >= relpages * 0.9 AS visible FROM pg_class WHERE relname = 'donation'",
      );
      return table?.visible === true;
    }, 'the table was vacuumed');
  }, 120_000);

  /** Planner cost settings for a modern disk. */
  const planOf = async (text: string, values: unknown[]) => {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await client.query('SET random_page_cost = 1.1');
      return JSON.stringify((await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values)).rows);
    } finally {
      await client.end();
    }
  };

  it('an explanation is added up from the index alone', async () => {
    const plan = await planOf(EXPLAIN_EVENT.text, [big]);
    expect(plan).toContain('"Index Only Scan"');
    expect(plan).toContain('donation_sums_idx');
    expect(plan).not.toMatch(/"Seq Scan"[^}]*"Relation Name":"donation"/);
    expect(await planOf(sumsOf('event_id = $1 AND currency = $2').text, [big, 'eur'])).toContain(
      'donation_sums_idx',
    );
  });

  it('the lines of an explanation are read by indexes, even for few rows', async () => {
    const { lines } = await (async () => {
      // The inserted rows have no totals, so the test checks only the lines of the explanation.
      const { body } = await admin.get(`/events/${big}/explain-total`).expect(200);
      return body as ExplainedBody;
    })();
    expect(lines.find(({ kind }) => kind === 'counted')?.count).toBeGreaterThan(10_000);
    const page = (where: string) =>
      planOf(`SELECT id FROM donation WHERE ${where} ORDER BY id DESC LIMIT 51`, [big]);
    for (const where of [
      "event_id = $1 AND currency = 'eur' AND status = 'COMPLETED' AND type = 'check'",
      'event_id = $1 AND donation.refunded_amount > 0',
    ]) {
      const plan = await page(where);
      expect(plan).toMatch(/"Index (Only )?Scan( Backward)?"/);
      expect(plan).not.toContain('"Seq Scan"');
    }
  });

  it('an explanation that takes too long answers 503 with advice', async () => {
    const times = { ...DATABASE_TIMES, statementMs: 1_500 };
    const impatient = await startApp({}, { databaseTimes: times }, app.databaseUrl);
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      const secret = as(impatient, admin.token);
      await holder.query('BEGIN; LOCK TABLE donation IN ACCESS EXCLUSIVE MODE');
      const paths = [
        `/events/${big}/explain-total`,
        '/totals/explain',
        '/donations/totals',
        `/statistics?eventId=${big}`,
      ];
      for (const path of [...paths, `/events/${big}/summary`, `/events/${big}/tonight`]) {
        const answer = await secret.get(path);
        expect({ path, status: answer.status, code: answer.body.code }).toEqual({
          path,
          status: 503,
          code: 'SUMS_TOO_SLOW',
        });
        expect(answer.headers['retry-after']).toBe('30');
      }
    } finally {
      await holder.end();
      await impatient.close();
    }
  }, 60_000);
});
