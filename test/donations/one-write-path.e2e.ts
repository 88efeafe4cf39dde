import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, timeOfId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { DonationChanges } from '../../src/donations/lifecycle/donation-changes.js';
import type { NewDonation, OfflineType } from '../../src/donations/store/donation-columns.js';
import { DonationRecorder } from '../../src/donations/recording/donation-recorder.js';
import { NO_DETAILS } from '../../src/donations/recording/new-donation.js';
import { type DonationBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { World } from '../money/world.js';

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let database: Database;

beforeAll(async () => {
  database = app.app.get(Database, { strict: false });
});

/** Returns all rows that a new donation stored, without generated ids and times. */
async function traces(eventId: string) {
  const read = (text: string) => sql<Record<string, unknown>>(app, text, [eventId]);
  const ids = ['id', 'event_id', 'created_at', 'updated_at', 'completed_at'];
  const rows = await read('SELECT * FROM donation WHERE event_id = $1 ORDER BY id');
  return {
    donations: rows.map((row) => ({
      ...Object.fromEntries(Object.entries(row).filter(([name]) => !ids.includes(name))),
      updatedWhenCreated: (row.updated_at as Date).getTime() === (row.created_at as Date).getTime(),
      completedWhenCreated:
        (row.completed_at as Date | null)?.getTime() === (row.created_at as Date).getTime(),
    })),
    history: await read(
      `SELECT from_status, to_status, actor_kind, actor_id, reason, fields
       FROM donation_history h JOIN donation d ON d.id = h.donation_id WHERE event_id = $1 ORDER BY d.id`,
    ),
    outbox: await read('SELECT topic FROM outbox WHERE event_id = $1 ORDER BY id'),
    totals: await read(
      `SELECT currency, sum(total_raised)::text AS raised, sum(donor_count)::text AS donors
       FROM event_total WHERE event_id = $1 GROUP BY currency`,
    ),
    donors: await read(
      'SELECT currency, donor_key, donations FROM event_donor WHERE event_id = $1 ORDER BY donor_key',
    ),
  };
}

describe('offline donations recorded in one batch statement', () => {
  const DONORS: readonly [type: OfflineType, email: string | null, message: string | null][] = [
    ['cash', null, null],
    ['check', 'ada', 'For the roof'],
    ['card_terminal', 'ada', null],
    ['bank_transfer', 'grace', null],
    ['other', null, 'Hello'],
    ['pledge', 'ada', null],
    ['pledge', null, 'Later'],
  ];
  const given = (eventId: string): NewDonation[] =>
    DONORS.map(([type, email, message], index) => {
      const id = newId();
      return {
        id,
        event_id: eventId,
        amount: 1000n + BigInt(index),
        currency: 'eur',
        type,
        donor_name: email,
        donor_email: email && `${email}@example.org`,
        is_anonymous: email === null,
        message,
        message_state: 'visible',
        name_state: 'visible',
        donor_key: email === null ? null : Buffer.from(email),
        staff_id: null,
        staff_name: 'Maria',
        provider: null,
        guest_id: null,
        payment_id: null,
        expected_amount: null,
        expected_currency: null,
        ...NO_DETAILS,
        created_at: timeOfId(id),
        recorded_at: null,
        terminal_id: null,
        paddle: type === 'pledge' ? '117' : null,
        round_id: null,
        reference: type === 'check' ? '004711' : null,
        note: index === 0 ? 'From the bar' : null,
        is_past_donation: false,
        match_pool_id: null,
      };
    });
  const beginning = ({ type }: NewDonation) => (type === 'pledge' ? 'pledged' : 'received');
  const actor = { kind: 'admin', id: 'somebody' } as const;

  it('the batch statement writes the same rows as the single write path', async () => {
    const changes = app.app.get(DonationChanges, { strict: false });
    const recorder = app.app.get(DonationRecorder, { strict: false });
    const [one, other] = [await createEvent(app, admin.token), await createEvent(app, admin.token)];
    await Promise.all(
      given(one.id).map((donation) =>
        recorder.record({
          donation: changes.draft(donation, beginning(donation)),
          confirmed: false,
          reason: null,
          actor,
          idempotency: null,
        }),
      ),
    );
    for (const donation of given(other.id))
      await database.transaction((tx) =>
        Promise.resolve(changes.begin(tx, donation, beginning(donation), { actor, reason: null })),
      );
    const recorded = await traces(one.id);
    expect(recorded.donations).toHaveLength(DONORS.length);
    expect(recorded.outbox).toHaveLength(5);
    expect(recorded).toEqual(await traces(other.id));
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});

describe('locks on the totals', () => {
  it('every transaction locks the totals last', async () => {
    const world = await World.create(app, admin.token);
    const transactions: string[][] = [];
    const client = await database.pool.connect();
    const prototype = Object.getPrototypeOf(client) as { query: (...sent: unknown[]) => unknown };
    client.release();
    const { query } = prototype;
    const open = new WeakMap<object, string[]>();
    prototype.query = function (this: object, ...sent: unknown[]) {
      const [first] = sent;
      const statement = typeof first === 'string' ? { text: first } : first;
      const { text, name = text } = statement as { name?: string; text: string };
      if (name === 'BEGIN') open.set(this, []);
      else if (name === 'COMMIT') {
        transactions.push(open.get(this) ?? []);
        open.delete(this);
      } else open.get(this)?.push(name);
      return query.apply(this, sent);
    };
    try {
      const donation = await world.intent('card', 1000);
      app.sandbox.stripe.pay(donation.paymentId);
      const { paymentId } = await world.intent('wallet', 1000);
      app.sandbox.paypal.approve(paymentId);
      app.sandbox.paypal.capture(paymentId);
      await world.deliverAll(Math.random);
      const id = donation.donationId;
      await admin.patch(`/donations/${id}`, { donorEmail: 'b@example.org', message: 'Hi' }).expect(200);
      await admin
        .post(`/donations/${id}/cancel`, { shouldRefund: true, amount: 300 })
        .set('Idempotency-Key', newId())
        .expect(200);
      await world.deliverAll(Math.random);
      const record = { amount: 500, type: 'pledge', eventId: world.event.id };
      const pledge = (await admin.post('/donations', record).expect(201)).body as DonationBody;
      await admin.post(`/donations/${pledge.id}/fulfil`, { type: 'cash' }).expect(200);
      await admin.post(`/donations/${pledge.id}/cancel`, { shouldRefund: false }).expect(200);
    } finally {
      prototype.query = query;
    }
    const moved = transactions.filter((names) => names.some((name) => name.startsWith('totals_')));
    // At least five transactions: the payment, the donor, the refund, the pledge and the cancelled pledge.
    expect(moved.length).toBeGreaterThanOrEqual(5);
    expect(moved.some((names) => names.includes('webhook_event_claim'))).toBe(true);
    for (const names of moved) {
      const first = names.findIndex((name) => name.startsWith('totals_'));
      expect(names.slice(first).filter((name) => !name.startsWith('totals_'))).toEqual([]);
    }
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});
