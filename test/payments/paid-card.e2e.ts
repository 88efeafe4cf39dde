import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import type { PaidFact, PaymentProvider } from '../../src/payments/providers/provider-port.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

/**
 * Tests a successful card payment: the writes of the service, and that the service locks the donation before it reads
 * the state.
 */

const KIND = 'payment_intent.succeeded';
const AMOUNT = 2500;

const { app, admin, event } = withEvent({ start: startPaymentsApp });
let facts: PaymentFacts;
let card: PaymentProvider;

beforeAll(() => {
  facts = app.app.get(PaymentFacts, { strict: false });
  [card] = app.app.get(PaymentProviders, { strict: false }).ofType('card');
});

interface Success extends PaidFact {
  /** Id of the webhook event. */
  readonly eventId: string;
}

interface Opened {
  readonly id: string;
  readonly success: Success;
}

/** Creates a donation that waits for its payment. Returns it with the fact that reports the payment. */
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
    kind: 'paid',
    paymentId: `pi_${id}`,
    amount: BigInt(AMOUNT),
    currency: 'eur',
    captureId: `ch_${id}`,
    paidAt: new Date('2026-11-20T19:30:00Z'),
    eventId: `evt_${id}`,
  };
  return { id, success };
}

/** Returns the donation that the event booked; undefined if it was booked earlier or did not change. */
async function book({ eventId: id, ...fact }: Success): Promise<string | undefined> {
  const outcomes = await facts.bookWebhookEvent(card, { id, kind: KIND, content: {} }, [fact]);
  return outcomes?.flatMap((one) => (one.kind === 'booked' ? [one.donationId] : []))[0];
}

const statusOf = async (id: string) =>
  (await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [id]))[0]?.status;

describe('booking of a card payment', () => {
  it('one transaction writes the claim, donation, history, outbox and totals of a success', async () => {
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
      [id, success.eventId],
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
      history: [['PENDING', 'COMPLETED', 'provider', success.eventId, null, []]],
      claim: [[KIND, 'booked', id, null]],
      outbox: [['donation.created', event.id, null]],
    });
  });

  it('counts a donor with an e-mail address once, and a donor without one each time', async () => {
    const before = Number(
      (await keptTotals(app)).find((total) => total.eventId === event.id)?.donorCount ?? 0,
    );
    for (const donor of ['grace', 'grace', null, null])
      await book((await opened({ donor_key: donor && Buffer.from(donor) })).success);
    const [total] = (await keptTotals(app)).filter(({ eventId }) => eventId === event.id);
    expect(Number(total?.donorCount)).toBe(before + 3);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('keeps the known fee and capture when the provider reports none', async () => {
    const { id, success } = await opened({ fee: 70, fee_currency: 'eur', capture_id: 'ch_known' });
    expect(await book({ ...success, captureId: undefined })).toBe(id);
    expect(
      await sql(app, 'SELECT fee::int, fee_currency, capture_id FROM donation WHERE id = $1', [id]),
    ).toEqual([{ fee: 70, fee_currency: 'eur', capture_id: 'ch_known' }]);
  });
});

/** Runs another transaction that locks the donation and changes something before its commit. */
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

/** Checks that the event's totals equal a recount. Returns the totals. */
async function expectCounted({ id }: EventFixture) {
  const [total] = (await keptTotals(app)).filter(({ eventId }) => eventId === id);
  expect(total).toBeDefined();
  expect(total).toEqual((await recount(app)).find(({ eventId }) => eventId === id));
  return total;
}

describe('concurrent changes of a paid donation', () => {
  it('a success that waits for the commit of a refund reads this refund', async () => {
    const donation = await opened();
    const booked = await whileLocked(donation, (other) =>
      other.query(
        `INSERT INTO refund (id, donation_id, provider, payment_id, provider_refund_id, amount, currency, status, actor_kind,
           created_at, updated_at) VALUES ($1, $2, 'stripe', $3, $4, $5, 'eur', 'succeeded', 'provider', now(), now())`,
        [newId(), donation.id, donation.success.paymentId, `re_${newId()}`, AMOUNT],
      ),
    );
    expect(booked).toBe(donation.id);
    expect(await statusOf(donation.id)).toBe('REFUNDED');
  });

  it('a success that waits for a cancellation books the money and raises a review item', async () => {
    const donation = await opened();
    const booked = await whileLocked(donation, (other) =>
      other.query(`UPDATE donation SET status = 'CANCELLED' WHERE id = $1`, [donation.id]),
    );
    expect(booked).toBe(donation.id);
    expect(await statusOf(donation.id)).toBe('COMPLETED');
    expect(await sql(app, 'SELECT kind FROM review_item WHERE donation_id = $1', [donation.id])).toEqual([
      { kind: 'late_success' },
    ]);
  });

  it('a success that waits for a correction keeps the corrected fields and counts the new donor', async () => {
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

  it('twenty simultaneous copies of a success are written once', async () => {
    const { id, success } = await opened();
    const booked = await Promise.all(Array.from({ length: 20 }, () => book(success)));
    expect(booked.filter((one) => one !== undefined)).toEqual([id]);
    const rows = await sql(app, 'SELECT 1 FROM donation_history WHERE donation_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });

  it('ten simultaneous events about one payment are written once', async () => {
    const { id, success } = await opened();
    const booked = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => book({ ...success, eventId: `${success.eventId}_${nth}` })),
    );
    expect(booked.filter((one) => one !== undefined)).toEqual([id]);
    expect(await sql(app, 'SELECT 1 FROM donation_history WHERE donation_id = $1', [id])).toHaveLength(1);
    expect(await sql(app, 'SELECT 1 FROM webhook_event WHERE donation_id = $1', [id])).toHaveLength(10);
  });

  it('hundreds of simultaneous successes at an event are all counted', async () => {
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
