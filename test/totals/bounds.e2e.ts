import { describe, expect, it } from '@jest/globals';
import { RelayWatch } from '../../src/health/relay-watch.js';
import { UNPUBLISHED } from '../../src/outbox/outbox.sql.js';
import { type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals } from '../support/books.js';
import { DonationBook } from '../support/donations.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const MOST = 2n ** 52n;
const app = withService(startPaymentsApp);
const admin = withAdmin(app);
const book = new DonationBook(app);

/** Creates an event whose total may grow only by `room`. */
async function eventWithRoom(room: bigint): Promise<EventFixture> {
  const event = await createEvent(app, admin.token);
  await sql(
    app,
    "INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, 'eur', 3, $2, 0)",
    [event.id, String(MOST - room)],
  );
  return event;
}
const totalOf = async ({ id }: { id: string }) =>
  (await keptTotals(app)).find(({ eventId }) => eventId === id)?.totalRaised;
const record = (event: EventFixture, amount: number, type = 'cash') =>
  admin.post('/donations', { amount, type, eventId: event.id });
const reviewItems = async (kind: string) => {
  const { body } = await admin.get('/review-items').expect(200);
  return (body as { kind: string; subject: string; detail: object }[]).filter((item) => item.kind === kind);
};
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the state was not reached');
}

describe('a total above the JSON limit', () => {
  it('refuses the record that would exceed the limit, and saves nothing of it', async () => {
    const event = await eventWithRoom(100n);
    const key = 'the-last-one';
    const refused = await record(event, 101).set('Idempotency-Key', key).expect(409);
    expect(refused.body).toEqual(errorBody(409, 'Conflict', 'TOTAL_OUT_OF_RANGE'));
    await record(event, 100).expect(201);
    await record(event, 1).expect(409);
    expect(await totalOf(event)).toBe(String(MOST));
    const rows = await sql(app, 'SELECT 1 FROM donation WHERE event_id = $1', [event.id]);
    expect(rows).toHaveLength(1);
  });

  it('accepts simultaneous records only up to the limit', async () => {
    const event = await eventWithRoom(50n);
    const answers = await Promise.all(Array.from({ length: 20 }, () => record(event, 10)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15);
    expect(await totalOf(event)).toBe(String(MOST));
  });

  it('accepts records of other events in the same batch', async () => {
    const [full, free] = [await eventWithRoom(0n), await createEvent(app, admin.token)];
    const [refused, taken] = await Promise.all([record(full, 10), record(free, 10)]);
    expect([refused.status, taken.status]).toEqual([409, 201]);
  });

  it('refuses the payment of a pledge, which stays open', async () => {
    const event = await eventWithRoom(10n);
    const pledge = (await record(event, 11, 'pledge').expect(201)).body as DonationBody;
    const { body } = await admin.post(`/donations/${pledge.id}/fulfil`, { type: 'cash' }).expect(409);
    expect(body).toEqual(errorBody(409, 'Conflict', 'TOTAL_OUT_OF_RANGE'));
    const [row] = await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [
      pledge.id,
    ]);
    expect(row?.status).toBe('PENDING');
  });

  it('books a provider payment above the limit and raises a review item', async () => {
    const event = await eventWithRoom(10n);
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 2500, currency: 'eur', metadata: { eventId: event.id, donorName: 'Ada' } })
      .expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    app.sandbox.stripe.pay(clientSecret.split('_secret_')[0] ?? '');
    const status = async () =>
      (await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [donationId]))[0]
        ?.status;
    await until(async () => (await status()) === 'COMPLETED');
    expect(await totalOf(event)).toBe(String(MOST + 2490n));
    expect((await reviewItems('total_out_of_range')).map(({ subject }) => subject)).toContain(
      `${event.id}:eur`,
    );
  });
});

describe('pledges above the JSON limit', () => {
  it('refuses the pledge that would exceed the limit; rounds and walls still work', async () => {
    const event = await createEvent(app, admin.token);
    const opened = await admin.post('/pledge-rounds', { amount: 100_000, eventId: event.id }).expect(201);
    const round = opened.body as { id: string };
    const pledge = (amount: number) =>
      admin.post('/donations', { amount, type: 'pledge', eventId: event.id, roundId: round.id });
    const { id } = (await pledge(1_000_000_000_000).expect(201)).body as DonationBody;
    // One row here replaces thousands of large pledges.
    await sql(app, 'UPDATE donation SET amount = $2 WHERE id = $1', [id, String(2n ** 51n)]);
    const { body } = await pledge(1_000_000_000_000).expect(409);
    expect(body).toEqual(errorBody(409, 'Conflict', 'TOTAL_OUT_OF_RANGE'));
    await pledge(100).expect(201);
    await admin.get(`/pledge-rounds?eventId=${event.id}`).expect(200);
    const wall = await WallClient.connect(app.url);
    expect(await wall.join({ eventId: event.id, snapshot: true })).toMatchObject({
      snapshot: { pledgeRound: { sum: 2 ** 51 + 100 } },
    });
    wall.close();
  });

  it('a retracted pledge makes room, and paid donations do not count', async () => {
    const event = await createEvent(app, admin.token);
    const large = 1_000_000_000_000;
    const give = (type: string) => admin.post('/donations', { amount: large, type, eventId: event.id });
    const grow = async (type: string) => {
      const { id } = (await give(type).expect(201)).body as DonationBody;
      await sql(app, 'UPDATE donation SET amount = $2 WHERE id = $1', [id, String(2n ** 51n)]);
      return id;
    };
    await grow('cash');
    const id = await grow('pledge');
    await give('pledge').expect(409);
    await admin.post(`/donations/${id}/undo`).expect(200);
    await give('pledge').expect(201);
  });
});

describe('a donor with a sum above the JSON limit', () => {
  it('the donor list omits a sum above the JSON limit and still shows every donor', async () => {
    const [one, other] = [await createEvent(app, admin.token), await createEvent(app, admin.token)];
    const donorEmail = 'croesus@example.org';
    for (const event of [one, other]) {
      const { body } = await admin
        .post('/donations', {
          amount: 100,
          type: 'cash',
          eventId: event.id,
          donorEmail,
          donorName: 'Croesus',
        })
        .expect(201);
      await sql(app, 'UPDATE donation SET amount = $2 WHERE id = $1', [
        (body as DonationBody).id,
        String(MOST),
      ]);
    }
    await admin
      .post('/donations', { amount: 100, type: 'cash', eventId: one.id, donorName: 'Solon' })
      .expect(201);
    const { body } = await admin.get('/donors').expect(200);
    const { data } = body as { data: { key: string; name: string; totals: object[] }[] };
    expect(data.find(({ name }) => name === 'Solon')?.totals).toEqual([{ currency: 'eur', amount: 100 }]);
    const croesus = data.find(({ name }) => name === 'Croesus');
    expect(croesus).toMatchObject({ donations: 2, totals: [] });
    await admin.get(`/donors/${croesus?.key ?? ''}`).expect(200);
  });
});

describe('an event that cannot be shown', () => {
  it('an event that cannot be shown is missing in the public event list, and its own address answers 409', async () => {
    const [sound, broken] = [await createEvent(app, admin.token), await eventWithRoom(-(2n ** 53n))];
    const { body } = await app.http.get('/events/public').expect(200);
    const slugs = (body as { slug: string }[]).map(({ slug }) => slug);
    expect(slugs).toContain(sound.slug);
    expect(slugs).not.toContain(broken.slug);
    const alone = await app.http.get(`/events/${broken.slug}`).expect(409);
    expect(alone.body).toEqual(errorBody(409, 'Conflict', 'TOTAL_OUT_OF_RANGE'));
  });

  it('a donation that cannot be announced delays no other wall, and is named in /health and in review items', async () => {
    const [sound, broken] = [await book.event(), await book.event()];
    const wall = await WallClient.connect(app.url);
    await wall.join(sound.id);
    // The constraint normally prevents such a row. Here the row represents any row that the relay cannot announce.
    await book.query('ALTER TABLE donation DROP CONSTRAINT donation_amount_range');
    const poison = await book.give(broken.id, { amount: 2 ** 60 });
    const first = await book.give(sound.id);
    const second = await book.give(sound.id);
    await wall.until(() => wall.created.length === 2);
    expect(wall.created.map(({ body }) => body.id)).toEqual([first, second]);

    await book.query("UPDATE outbox SET created_at = now() - interval '5 minutes' WHERE donation_id = $1", [
      poison,
    ]);
    const relay = async () => {
      const { body } = await app.http.get('/health').expect(200);
      return (body as { info: { relay?: object } }).info.relay;
    };
    await until(async () => (await relay()) !== undefined);
    expect(await relay()).toEqual({
      status: 'up',
      state: 'standing still',
      waitingSeconds: expect.any(Number),
    });
    const watch = app.app.get(RelayWatch);
    await watch.look();
    expect((await reviewItems('relay_stalled')).map(({ subject }) => subject)).toEqual([
      `event:${broken.id}`,
    ]);

    await book.query('UPDATE donation SET amount = 100 WHERE id = $1', [poison]);
    await book.query('UPDATE event_total SET total_raised = 100 WHERE event_id = $1', [broken.id]);
    const waiting = () => book.query(UNPUBLISHED);
    await until(async () => (await waiting()).length === 0);
    await until(async () => (await relay()) === undefined);
    await watch.look();
    expect(await reviewItems('relay_stalled')).toEqual([]);
    wall.close();
  });

  it('a follower that is held up for a minute is in /health and in review until it resumes', async () => {
    const event = await createEvent(app, admin.token);
    await book.query("INSERT INTO follower (name) VALUES ('test')");
    await book.query(
      `INSERT INTO follower_position (follower, event_id, sequence, held_since, problem)
       VALUES ('test', $1, 3, now() - interval '2 minutes', '23514')`,
      [event.id],
    );
    const followers = async () => {
      const { body } = await app.http.get('/health').expect(200);
      return (body as { info: { followers?: object } }).info.followers;
    };
    const watch = app.app.get(RelayWatch);
    await until(async () => (await followers()) !== undefined);
    expect(await followers()).toEqual({ status: 'up', state: 'stalled', feeds: 1 });
    await watch.look();
    expect((await reviewItems('follower_stalled')).map(({ subject }) => subject)).toEqual([
      `test event:${event.id}`,
    ]);
    await book.query('DELETE FROM follower');
    await until(async () => (await followers()) === undefined);
    await watch.look();
    expect(await reviewItems('follower_stalled')).toEqual([]);
  });
});
