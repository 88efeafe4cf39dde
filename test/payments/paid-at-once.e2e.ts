import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { DonationChanges } from '../../src/donations/lifecycle/donation-changes.js';
import { STATE_TABLE, type StateTable } from '../../src/donations/lifecycle/donation-lifecycle.js';
import { PaidAtOnce, type Success } from '../../src/donations/recording/paid-at-once.js';
import { Mailer } from '../../src/mail/mailer.service.js';
import { Outbox } from '../../src/outbox/outbox.js';
import { OutboxRelay } from '../../src/outbox/outbox-relay.js';
import { PAID_EVENT } from '../../src/payments/booking/webhook-events.sql.js';
import { MOST_RECORDED } from '../../src/totals/totals.sql.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';

/** The success of a payment in one round trip: what it writes, and each thing that makes it write nothing. */

const KIND = 'payment_intent.succeeded';
const AMOUNT = 2500;

const { app, admin, event } = withEvent();
let atOnce: PaidAtOnce;

beforeAll(async () => {
  atOnce = app.app.get(PaidAtOnce, { strict: false });
});

interface Opened {
  readonly id: string;
  readonly success: Success;
}

/** A donation that waits for its payment, and what the provider says once it is paid. */
async function opened(columns: Record<string, unknown> = {}): Promise<Opened> {
  const id = newId();
  const row: Record<string, unknown> = {
    id,
    event_id: event.id,
    amount: AMOUNT,
    currency: 'eur',
    type: 'card',
    status: 'PENDING',
    donor_name: 'Ada Lovelace',
    is_anonymous: false,
    provider: 'stripe',
    payment_id: `pi_${id}`,
    expected_amount: AMOUNT,
    expected_currency: 'eur',
    created_at: new Date(),
    updated_at: new Date(),
    ...columns,
  };
  const names = Object.keys(row);
  await sql(
    app,
    `INSERT INTO donation (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
  const success: Success = {
    provider: 'stripe',
    paymentId: `pi_${id}`,
    amount: BigInt(AMOUNT),
    currency: 'eur',
    captureId: `ch_${id}`,
    paidAt: new Date('2026-11-20T19:30:00Z'),
    fee: null,
    actorId: `evt_${id}`,
  };
  return { id, success };
}

const book = (success: Success) => atOnce.book(PAID_EVENT, success, KIND);

const TABLES = [
  'donation',
  'donation_history',
  'webhook_event',
  'outbox',
  'event_total',
  'event_donor',
  'email',
  'review_item',
];

/** Every row of the books; the relay may number and publish what is in the outbox. */
async function books(): Promise<unknown> {
  const rows = TABLES.map(
    (table) => `SELECT '${table}' AS "table", to_jsonb(t) - 'sequence' AS row FROM ${table} AS t`,
  );
  return await sql(app, `SELECT "table", row FROM (${rows.join(' UNION ALL ')}) AS all_rows ORDER BY 1, row`);
}

const statusOf = async (id: string) =>
  (await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [id]))[0]?.status;

describe('a payment as it mostly is', () => {
  it('is written whole: claim, row, history, outbox and totals', async () => {
    const { id, success } = await opened({ donor_email: 'ada@example.org', donor_key: Buffer.from('ada') });
    expect(await book({ ...success, fee: { amount: 98n, currency: 'usd' } })).toBe(id);
    const [written] = await sql(
      app,
      `SELECT status, amount::int, currency, refunded_amount::int AS refunded, capture_id, paid_at, fee::int, fee_currency,
         completed_at = updated_at AND completed_at BETWEEN now() - interval '1 minute' AND now() AS "isNow",
         (SELECT json_agg(json_build_array(from_status, to_status, actor_kind, actor_id, reason, fields)) FROM donation_history
          WHERE donation_id = d.id) AS history,
         (SELECT json_agg(json_build_array(kind, outcome, donation_id, payment_id)) FROM webhook_event
          WHERE webhook_event_id = $2) AS claim,
         (SELECT json_agg(json_build_array(topic, event_id, round_id)) FROM outbox WHERE donation_id = d.id) AS outbox
       FROM donation d WHERE id = $1`,
      [id, success.actorId],
    );
    expect(written).toEqual({
      status: 'COMPLETED',
      amount: AMOUNT,
      currency: 'eur',
      refunded: 0,
      capture_id: success.captureId,
      paid_at: success.paidAt,
      fee: 98,
      fee_currency: 'usd',
      isNow: true,
      history: [['PENDING', 'COMPLETED', 'provider', success.actorId, null, []]],
      claim: [[KIND, 'booked', id, null]],
      outbox: [['donation.created', event.id, null]],
    });
  });

  it('counts a donor once, whoever gives without an address each time', async () => {
    const before = Number(
      (await keptTotals(app)).find((total) => total.eventId === event.id)?.donorCount ?? 0,
    );
    for (const donor of ['grace', 'grace', null, null])
      await book((await opened({ donor_key: donor && Buffer.from(donor) })).success);
    const [total] = (await keptTotals(app)).filter(({ eventId }) => eventId === event.id);
    expect(Number(total?.donorCount)).toBe(before + 3);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('keeps the fee and the capture that are known when the provider says none', async () => {
    const { id, success } = await opened({ fee: 70, fee_currency: 'eur', capture_id: 'ch_known' });
    expect(await book({ ...success, captureId: null })).toBe(id);
    expect(
      await sql(app, 'SELECT fee::int, fee_currency, capture_id FROM donation WHERE id = $1', [id]),
    ).toEqual([{ fee: 70, fee_currency: 'eur', capture_id: 'ch_known' }]);
  });
});

type Change = Partial<Success> | undefined;

/** What is not as it mostly is: brought about in the books, or in what the provider says. */
const EXCEPTIONS: readonly (readonly [
  what: string,
  columns: Record<string, unknown>,
  more?: (donation: Opened) => Promise<Change> | Change,
])[] = [
  ['a payment that nobody knows', {}, () => ({ paymentId: 'pi_unknown' })],
  ['a payment of another provider', {}, () => ({ provider: 'paypal' })],
  ['a donation that failed', { status: 'FAILED' }],
  ['a donation that was cancelled', { status: 'CANCELLED' }],
  ['a donation that is complete', { status: 'COMPLETED', paid_at: new Date(), completed_at: new Date() }],
  ['money that was booked before', { paid_at: new Date() }],
  ['a donation that was complete before', { completed_at: new Date() }],
  ['money that went back before', { refunded_amount: 100 }],
  ['less money than was asked', {}, () => ({ amount: BigInt(AMOUNT - 1) })],
  ['more money than was asked', {}, () => ({ amount: BigInt(AMOUNT + 1) })],
  ['another currency', {}, () => ({ currency: 'usd' })],
  ['another amount than was expected', { expected_amount: AMOUNT + 1 }],
  ['another currency than was expected', { expected_currency: 'usd' }],
  ['no expectation', { expected_amount: null, expected_currency: null }],
  [
    'a refund that came before',
    {},
    async ({ success: { paymentId } }) => {
      await sql(
        app,
        `INSERT INTO refund (id, provider, payment_id, provider_refund_id, amount, currency, status, actor_kind, created_at,
           updated_at) VALUES ($1, 'stripe', $2, $3, 100, 'eur', 'pending', 'provider', now(), now())`,
        [newId(), paymentId, `re_${newId()}`],
      );
      return undefined;
    },
  ],
  [
    'a dispute that came before',
    {},
    async ({ success: { paymentId } }) => {
      await sql(
        app,
        `INSERT INTO dispute (id, provider, payment_id, provider_dispute_id, amount, currency, status, created_at,
           updated_at) VALUES ($1, 'stripe', $2, $3, 100, 'eur', 'open', now(), now())`,
        [newId(), paymentId, `dp_${newId()}`],
      );
      return undefined;
    },
  ],
  [
    'a webhook event that waits for the donation',
    {},
    async ({ success: { paymentId } }) => {
      await sql(
        app,
        `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome, payment_id)
         VALUES ('stripe', $1, 'refund.created', 'kept', $2)`,
        [`evt_${newId()}`, paymentId],
      );
      return undefined;
    },
  ],
  [
    'a webhook event that was here before',
    {},
    async ({ success: { actorId } }) => {
      await sql(
        app,
        `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome) VALUES ('stripe', $1, $2, 'ignored')`,
        [actorId, KIND],
      );
      return undefined;
    },
  ],
  [
    'a donation that is one of several tries',
    {},
    async ({ id }) => {
      await sql(app, 'INSERT INTO checkout (donation_id, key) VALUES ($1, $2)', [id, `page:${id}`]);
      return undefined;
    },
  ],
  [
    'a donation that pays a pledge',
    {},
    async ({ id }) => {
      const pledge = await opened();
      await sql(app, 'INSERT INTO pledge_payment (donation_id, pledge_id) VALUES ($1, $2)', [id, pledge.id]);
      return undefined;
    },
  ],
  [
    'a donation of a pledge round',
    {},
    async ({ id }) => {
      const { body } = await admin.post('/pledge-rounds', { eventId: event.id, amount: 5000 }).expect(201);
      const { id: roundId } = body as { id: string };
      await sql(app, 'UPDATE donation SET round_id = $2 WHERE id = $1', [id, roundId]);
      return undefined;
    },
  ],
  [
    'a total that has no room left',
    {},
    async ({ id }) => {
      const full = await createEvent(app, admin.token);
      await sql(app, 'UPDATE donation SET event_id = $2 WHERE id = $1', [id, full.id]);
      await sql(app, `INSERT INTO event_total VALUES ($1, 'eur', 3, $2, 1)`, [
        full.id,
        MOST_RECORDED - BigInt(AMOUNT) + 1n,
      ]);
      return undefined;
    },
  ],
];

describe('nothing is written for', () => {
  it.each(EXCEPTIONS.map(([what, columns, more]) => ({ what, columns, more })))(
    '$what',
    async ({ columns, more }) => {
      const donation = await opened(columns);
      const success = { ...donation.success, ...(await more?.(donation)) };
      const before = await books();
      expect(await book(success)).toBeUndefined();
      expect(await books()).toEqual(before);
      // It is the exception that does it.
      const ordinary = await opened();
      expect(await book(ordinary.success)).toBe(ordinary.id);
    },
  );

  it('a donation that nobody has locked', async () => {
    const { id, success } = await opened();
    // The statement that locks finds nothing, as if the payment became known only after it.
    const database = app.app.get(Database, { strict: false });
    const unlocked = new PaidAtOnce(
      {
        together: ([, last]: Parameters<Database['together']>[0]) => database.together(last ? [last] : []),
      } as Database,
      ...parts(STATE_TABLE),
    );
    const before = await books();
    expect(await unlocked.book(PAID_EVENT, success, KIND)).toBeUndefined();
    expect(await books()).toEqual(before);
    expect(await book(success)).toBe(id);
  });

  it('a move that the state table does not have', async () => {
    const { id, success } = await opened();
    const without = STATE_TABLE.map((row) =>
      row.from === 'PENDING' && row.to === 'COMPLETED'
        ? { ...row, by: row.by.filter((by) => by !== 'paid') }
        : row,
    ) as StateTable;
    const service = new PaidAtOnce(app.app.get(Database, { strict: false }), ...parts(without));
    expect(await service.book(PAID_EVENT, success, KIND)).toBeUndefined();
    expect(await statusOf(id)).toBe('PENDING');
  });
});

/** What the service needs besides the database, with a state table of one's own. */
function parts(table: StateTable): [DonationChanges, OutboxRelay, Mailer] {
  const get = <Service>(type: abstract new (...args: never[]) => Service): Service =>
    app.app.get<Service>(type, { strict: false });
  return [new DonationChanges(get(Outbox), get(Mailer), table), get(OutboxRelay), get(Mailer)];
}

/** Somebody else's transaction, which has the donation's lock and does something before it commits. */
async function whileLocked(
  { id, success }: Opened,
  work: (other: pg.Client) => Promise<unknown>,
): Promise<string | undefined> {
  const other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM donation WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const booking = book(success);
    await untilBlocked(app);
    await work(other);
    await other.query('COMMIT');
    return await booking;
  } finally {
    await other.end();
  }
}

/** Donations whose successes go in one batch when they come together: the lanes go by the end of the payment's id. */
async function openedTogether(count: number, columns: Record<string, unknown> = {}): Promise<Opened[]> {
  const all: Opened[] = [];
  for (let nth = 0; nth < count; nth++) {
    const paymentId = `pi_${newId()}_x`;
    const { id, success } = await opened({ payment_id: paymentId, ...columns });
    all.push({ id, success: { ...success, paymentId } });
  }
  return all;
}

/** The event's totals equal a recount. Returns them. */
async function expectCounted({ id }: EventFixture) {
  const [total] = (await keptTotals(app)).filter(({ eventId }) => eventId === id);
  expect(total).toBeDefined();
  expect(total).toEqual((await recount(app)).find(({ eventId }) => eventId === id));
  return total;
}

describe('several in one statement', () => {
  let sent: jest.SpiedFunction<Database['together']>;
  beforeEach(() => {
    sent = jest.spyOn(app.app.get(Database, { strict: false }), 'together');
  });
  afterEach(() => {
    sent.mockRestore();
  });

  it('are booked and announced in their order', async () => {
    const hall = await createEvent(app, admin.token);
    const donations = await openedTogether(5, { event_id: hall.id });
    expect(await Promise.all(donations.map(({ success }) => book(success)))).toEqual(
      donations.map(({ id }) => id),
    );
    expect(sent).toHaveBeenCalledTimes(1);
    const ids = donations.map(({ id }) => id);
    const announced = await sql<{ id: string }>(
      app,
      'SELECT donation_id AS id FROM outbox WHERE donation_id = ANY($1::uuid[]) ORDER BY id',
      [ids],
    );
    expect(announced.map(({ id }) => id)).toEqual(ids);
    await expectCounted(hall);
  });

  it('of several events and currencies are each counted where they belong', async () => {
    const hall = await createEvent(app, admin.token);
    const other = await createEvent(app, admin.token);
    const mine = await openedTogether(2, { event_id: hall.id, donor_key: Buffer.from('one donor') });
    const dollars = await openedTogether(2, {
      event_id: other.id,
      currency: 'usd',
      expected_currency: 'usd',
    });
    const all = [
      ...mine.map(({ success }) => success),
      ...dollars.map(({ success }) => ({ ...success, currency: 'usd' })),
    ];
    expect((await Promise.all(all.map(book))).every((id) => id !== undefined)).toBe(true);
    expect(sent).toHaveBeenCalledTimes(1);
    expect(await expectCounted(hall)).toMatchObject({ currency: 'eur', donorCount: '1' });
    expect(await expectCounted(other)).toMatchObject({ currency: 'usd', donorCount: '2' });
  });

  it('leave out the one that is not as it mostly is', async () => {
    const [cancelled] = await openedTogether(1, { status: 'CANCELLED' });
    const donations = await openedTogether(3);
    const all = [donations[0], cancelled, donations[1], donations[2]] as Opened[];
    expect(await Promise.all(all.map(({ success }) => book(success)))).toEqual([
      donations[0]?.id,
      undefined,
      donations[1]?.id,
      donations[2]?.id,
    ]);
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('do not wait for the one that somebody else has locked, which waits by itself', async () => {
    const [locked, ...free] = await openedTogether(4);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM donation WHERE id = $1 FOR NO KEY UPDATE', [locked?.id]);
      const waits = book((locked as Opened).success);
      const booked = await Promise.all(free.map(({ success }) => book(success)));
      expect(booked).toEqual(free.map(({ id }) => id));
      expect(await statusOf((locked as Opened).id)).toBe('PENDING');
      await other.query('COMMIT');
      expect(await waits).toBe(locked?.id);
    } finally {
      await other.end();
    }
  });

  it('do not wait for those before them for ever, whose connection hangs', async () => {
    const [hanging, ...others] = await openedTogether(3);
    let goOn = (): void => undefined;
    sent.mockImplementationOnce(
      () =>
        new Promise((_, reject) => (goOn = () => reject(new Error('Connection terminated unexpectedly')))),
    );
    const hangs = book((hanging as Opened).success).catch(String);
    await until(() => sent.mock.calls.length > 0, 'that it was sent');
    expect(await Promise.all(others.map(({ success }) => book(success)))).toEqual(others.map(({ id }) => id));
    goOn();
    expect(await hangs).toContain('Connection terminated');
  });

  it('are left to be booked one by one when the database refuses one of them', async () => {
    const donations = await openedTogether(3);
    const before = await books();
    const successes = donations.map(({ success }, nth) => ({
      ...success,
      // No text of PostgreSQL.
      captureId: nth === 1 ? 'ch_\u0000' : success.captureId,
    }));
    expect(await Promise.all(successes.map(book))).toEqual([undefined, undefined, undefined]);
    expect(await books()).toEqual(before);
    expect(await book((donations[0] as Opened).success)).toBe(donations[0]?.id);
  });

  it('are refused when the connection is lost, so that the provider sends them again', async () => {
    const donations = await openedTogether(2);
    sent.mockImplementationOnce(() => Promise.reject(new Error('Connection terminated unexpectedly')));
    const tried = await Promise.allSettled(donations.map(({ success }) => book(success)));
    expect(tried.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('at the same moment as', () => {
  it('a refund, which leaves the row as it is, nothing is written that does not know of it', async () => {
    const donation = await opened();
    const booked = await whileLocked(donation, (other) =>
      other.query(
        `INSERT INTO refund (id, donation_id, provider, payment_id, provider_refund_id, amount, currency, status, actor_kind,
           created_at, updated_at) VALUES ($1, $2, 'stripe', $3, $4, $5, 'eur', 'succeeded', 'provider', now(), now())`,
        [newId(), donation.id, donation.success.paymentId, `re_${newId()}`, AMOUNT],
      ),
    );
    expect(booked).toBeUndefined();
    expect(await statusOf(donation.id)).toBe('PENDING');
  });

  it('a cancellation, the donation stays cancelled until somebody looks at it', async () => {
    const donation = await opened();
    const booked = await whileLocked(donation, (other) =>
      other.query(`UPDATE donation SET status = 'CANCELLED' WHERE id = $1`, [donation.id]),
    );
    expect(booked).toBeUndefined();
    expect(await statusOf(donation.id)).toBe('CANCELLED');
  });

  it('a correction of the donor, both are in the row and the totals have the new one', async () => {
    const donation = await opened({ donor_email: 'old@example.org', donor_key: Buffer.from('old') });
    const booked = await whileLocked(donation, (other) =>
      other.query('UPDATE donation SET donor_name = $2, donor_key = $3 WHERE id = $1', [
        donation.id,
        'Grace Hopper',
        Buffer.from('new'),
      ]),
    );
    expect(booked).toBe(donation.id);
    expect(await sql(app, 'SELECT donor_name, status FROM donation WHERE id = $1', [donation.id])).toEqual([
      { donor_name: 'Grace Hopper', status: 'COMPLETED' },
    ]);
    const donors = await sql<{ donor: string }>(
      app,
      `SELECT convert_from(donor_key, 'UTF8') AS donor FROM event_donor WHERE event_id = $1`,
      [event.id],
    );
    expect(donors.map(({ donor }) => donor)).toContain('new');
    expect(donors.map(({ donor }) => donor)).not.toContain('old');
  });

  it('itself, twenty times, one of them writes', async () => {
    const { id, success } = await opened();
    const booked = await Promise.all(Array.from({ length: 20 }, () => book(success)));
    expect(booked.filter((one) => one !== undefined)).toEqual([id]);
    const rows = await sql(app, 'SELECT 1 FROM donation_history WHERE donation_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });

  it('two events about one payment, one of them writes', async () => {
    const { id, success } = await opened();
    const booked = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => book({ ...success, actorId: `${success.actorId}_${nth}` })),
    );
    expect(booked.filter((one) => one !== undefined)).toEqual([id]);
    const claims = await sql(app, 'SELECT 1 FROM webhook_event WHERE donation_id = $1', [id]);
    expect(claims).toHaveLength(1);
  });

  it('hundreds of others of the event, all are counted', async () => {
    const hall = await createEvent(app, admin.token);
    const donations = await Promise.all(
      Array.from({ length: 200 }, (_, nth) =>
        opened({ event_id: hall.id, donor_key: nth % 3 === 0 ? null : Buffer.from(`donor ${nth % 20}`) }),
      ),
    );
    const booked = await Promise.all(donations.map(({ success }) => book(success)));
    expect(booked).toEqual(donations.map(({ id }) => id));
    await expectCounted(hall);
    const shards = await sql(app, 'SELECT 1 FROM event_total WHERE event_id = $1', [hall.id]);
    expect(shards.length).toBeGreaterThan(8);
  });
});
