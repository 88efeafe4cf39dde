import { describe, expect, it } from '@jest/globals';
import type { MilestoneDto } from '../../src/milestones/dto/milestone.dto.js';
import { ReachedMilestones } from '../../src/milestones/reached-milestones.service.js';
import { WallMoments } from '../../src/milestones/wall-moments.service.js';
import { as } from '../support/bearer.js';
import { DonationBook } from '../support/donations.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';
import { type Received, WallClient } from '../support/wall-client.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });
const book = new DonationBook(app);
const UNKNOWN = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';

const add = async (amount: number, fields: object = {}) =>
  (
    await admin
      .post(`/events/${event.id}/milestones`, { amount, title: `At ${amount}`, ...fields })
      .expect(201)
  ).body as MilestoneDto;
const list = async () =>
  ((await admin.get(`/milestones?eventId=${event.id}`).expect(200)).body as { data: MilestoneDto[] }).data;
const now = async (id: string) => (await list()).find((one) => one.id === id);
const give = (amount: number) => book.give(event.id, { amount });
const cash = async (amount: number) =>
  (await staff.post('/donations', { type: 'cash', amount }).expect(201)).body as { id: string };
const isReached = (id: string) =>
  until(async () => ((await now(id))?.reachedAt ?? null) !== null, 'the milestone is reached');
const shown = async () =>
  ((await app.http.get(`/events/${event.slug}/milestones`).expect(200)).body as { data: object[] }).data;

/** Waits until all messages of the event are broadcast and handled. */
const settled = async () => {
  await until(
    async () =>
      (
        await sql(
          app,
          `SELECT FROM event_feed f LEFT JOIN follower_position p ON p.event_id = f.event_id AND p.follower = 'milestones'
           WHERE f.event_id = $1 AND coalesce(p.sequence, 0) = f.last_sequence AND f.published_sequence = f.last_sequence
             AND NOT EXISTS (SELECT FROM outbox WHERE event_id = $1 AND sequence IS NULL)`,
          [event.id],
        )
      ).length === 1,
    'all messages are handled',
  );
};

const wallOf = async () => {
  const wall = await WallClient.connect(app.url);
  await wall.join(event.id);
  return wall;
};
const heard = (wall: WallClient, topic: string) => wall.received.filter((one) => one.topic === topic);
const amounts = (messages: readonly Received[]) => messages.map(({ body }) => body.amount);

describe('milestones', () => {
  it('five milestones that one gift crosses give five messages, lowest first, in one complete feed', async () => {
    for (const amount of [30_000, 10_000, 50_000, 20_000, 40_000, 60_000]) await add(amount);
    await settled();
    const wall = await wallOf();
    await give(55_000);
    await wall.until(() => heard(wall, 'milestone.reached').length === 5);
    await settled();
    expect(amounts(heard(wall, 'milestone.reached'))).toEqual([10_000, 20_000, 30_000, 40_000, 50_000]);
    expect(heard(wall, 'milestone.reached')[0]?.body).toEqual({
      id: expect.any(String),
      eventId: event.id,
      title: 'At 10000',
      amount: 10_000,
      basis: 'raised',
      kind: 'step',
      isReached: true,
      isGoal: false,
      sequence: expect.any(Number),
    });
    const places = wall.received
      .filter(({ topic }) => topic !== 'event.totals')
      .map(({ body }) => body.sequence);
    expect(places).toEqual(places.map((_, index) => (places[0] ?? 0) + index));
    expect((await list()).map(({ reachedTotal }) => reachedTotal)).toEqual([...Array(5).fill(55_000), null]);
    wall.close();
    // A wall that joins now sees the filled steps in its snapshot.
    const late = await WallClient.connect(app.url);
    const { snapshot } = (await late.join({ eventId: event.id, snapshot: true })) as unknown as {
      snapshot: { milestones: { amount: number; isReached: boolean }[] };
    };
    expect(snapshot.milestones.map(({ isReached }) => isReached)).toEqual([...Array(5).fill(true), false]);
    expect(heard(late, 'milestone.reached')).toEqual([]);
    // Replayed messages have the same content.
    await late.join({ eventId: event.id, since: 0 });
    expect(amounts(heard(late, 'milestone.reached'))).toEqual([10_000, 20_000, 30_000, 40_000, 50_000]);
    late.close();
  });

  it('a reached milestone stays reached after a refund, and an admin can withdraw it with a reason', async () => {
    const { id } = await add(50_000);
    const record = await cash(50_000);
    await isReached(id);
    const withdraw = () => admin.post(`/milestones/${id}/withdraw`, { reason: 'A zero too many' });
    expect((await withdraw().expect(409)).body).toMatchObject({ code: 'MILESTONE_HELD' });
    await staff.post(`/donations/${record.id}/undo`).expect(200);
    await settled();
    expect(await now(id)).toMatchObject({ heldNow: false, reachedTotal: 50_000 });
    expect(await shown()).toMatchObject([{ isReached: true }]);
    await staff.post(`/milestones/${id}/withdraw`, { reason: 'x' }).expect(403);
    const wall = await wallOf();
    expect((await withdraw().expect(200)).body).toMatchObject({
      reachedAt: null,
      heldNow: null,
      withdrawnAt: expect.any(String),
      withdrawalReason: 'A zero too many',
    });
    await wall.until(() => heard(wall, 'milestones.changed').length > 0);
    expect(heard(wall, 'milestones.changed')[0]?.body).toMatchObject({
      milestones: [{ id, isReached: false }],
    });
    expect((await withdraw().expect(409)).body).toMatchObject({ code: 'MILESTONE_NOT_REACHED' });
    await give(60_000);
    await wall.until(() => heard(wall, 'milestone.reached').length === 1);
    wall.close();
  });

  it('walls show a milestone by hand only after the announcement by the team, and only once', async () => {
    const { id } = await add(1_000, { announce: 'by_hand' });
    const wall = await wallOf();
    await give(2_000);
    await isReached(id);
    await settled();
    expect(heard(wall, 'milestone.reached')).toEqual([]);
    expect(await shown()).toMatchObject([{ isReached: false }]);
    const other = await createStaff(app, admin.token, (await createEvent(app, admin.token)).id);
    for (const path of ['announce', 'done'])
      await as(app, other.token).post(`/milestones/${id}/${path}`, {}).expect(404);
    for (let times = 0; times < 2; times++)
      expect((await staff.post(`/milestones/${id}/announce`).expect(200)).body).toMatchObject({
        announcedAt: expect.any(String),
      });
    await wall.until(() => heard(wall, 'milestone.reached').length > 0);
    await settled();
    expect(heard(wall, 'milestone.reached')).toHaveLength(1);
    expect(await shown()).toMatchObject([{ isReached: true }]);
    expect((await staff.post(`/milestones/${id}/done`, {}).expect(200)).body).toMatchObject({
      doneAt: expect.any(String),
      doneBy: staff.id,
    });
    expect((await staff.post(`/milestones/${id}/done`, { done: false }).expect(200)).body).toMatchObject({
      doneAt: null,
      doneBy: null,
    });
    wall.close();
  });

  it('a new milestone below the present total is reached without an announcement, unless the admin asks for it', async () => {
    await give(30_000);
    const wall = await wallOf();
    expect(await add(10_000)).toMatchObject({ reachedTotal: 30_000, announcedAt: null });
    expect(await add(20_000, { announceNow: true })).toMatchObject({ announcedAt: expect.any(String) });
    expect(await add(40_000, { announceNow: true })).toMatchObject({ reachedAt: null, announcedAt: null });
    await wall.until(() => heard(wall, 'milestones.changed').length === 3);
    await settled();
    expect(amounts(heard(wall, 'milestone.reached'))).toEqual([20_000]);
    expect(await shown()).toMatchObject([{ isReached: true }, { isReached: true }, { isReached: false }]);
    wall.close();
  });

  it('a milestone with promises counts the unpaid pledges, also those outside a round', async () => {
    const { id } = await add(9_000, { basis: 'with_promises' });
    const alone = await add(9_500);
    await give(1_000);
    await staff.post('/donations', { type: 'pledge', amount: 8_000 }).expect(201);
    await settled();
    await app.app.get(ReachedMilestones).lookAtPledges();
    expect(await now(id)).toMatchObject({ reachedTotal: 9_000 });
    expect(await now(alone.id)).toMatchObject({ reachedAt: null });
  });

  it('a milestone with matches counts what pools added, and a payment of the matcher counts only once', async () => {
    const { body: pool } = await admin
      .post('/match-pools', { eventId: event.id, name: 'Double', cap: 5_000, remainder: 'not_given' })
      .expect(201);
    const { id: poolId } = pool as { id: string };
    await admin.post(`/match-pools/${poolId}/open`, {}).expect(200);
    const { id } = await add(6_000, { basis: 'with_matches' });
    const later = await add(6_500, { basis: 'with_matches' });
    await cash(3_000);
    await isReached(id);
    expect(await now(id)).toMatchObject({ reachedTotal: 6_000 });
    await admin
      .post(`/match-pools/${poolId}/settlements`, { type: 'bank_transfer', amount: 3_000 })
      .set('Idempotency-Key', 'settled-once')
      .expect(201);
    await settled();
    expect(await now(later.id)).toMatchObject({ reachedAt: null });
  });

  it('guests do not see a hidden milestone, and walls do not get its message', async () => {
    const { id } = await add(1_000, { isVisible: false, title: 'Secret' });
    const wall = await wallOf();
    await give(2_000);
    await isReached(id);
    await settled();
    expect((await admin.post(`/milestones/${id}/announce`).expect(409)).body).toMatchObject({
      code: 'MILESTONE_HIDDEN',
    });
    expect(await shown()).toEqual([]);
    expect(JSON.stringify(wall.received)).not.toContain('Secret');
    expect(heard(wall, 'milestone.reached')).toEqual([]);
    wall.close();
  });

  it('the amount is free before the milestone is reached and fixed afterwards', async () => {
    const { id } = await add(50_000);
    const change = (fields: object) => admin.patch(`/milestones/${id}`, fields);
    expect((await change({ amount: 5_000, title: 'Cake' }).expect(200)).body).toMatchObject({
      amount: 5_000,
      title: 'Cake',
    });
    expect((await change({ title: 'Pie', expected: { title: 'At 50000' } }).expect(409)).body).toMatchObject({
      code: 'EDIT_CONFLICT',
      details: [{ field: 'title', value: 'Cake' }],
    });
    await give(5_000);
    await isReached(id);
    for (const fields of [{ amount: 6_000 }, { basis: 'with_promises' }, { announce: 'by_hand' }])
      expect((await change(fields).expect(409)).body).toMatchObject({ code: 'MILESTONE_REACHED' });
    await change({ text: 'With cream', isVisible: true, amount: 5_000 }).expect(200);
    expect((await admin.delete(`/milestones/${id}`).expect(409)).body).toMatchObject({
      code: 'MILESTONE_REACHED',
    });
  });

  it('a deleted milestone disappears from the walls', async () => {
    const { id } = await add(50_000);
    const wall = await wallOf();
    expect((await admin.delete(`/milestones/${id}`).expect(200)).body).toEqual({ id, deleted: true });
    await wall.until(() =>
      heard(wall, 'milestones.changed').some(
        ({ body }) => Array.isArray(body.milestones) && body.milestones.length === 0,
      ),
    );
    expect(await list()).toEqual([]);
    wall.close();
  });

  it('an event has at most 24 milestones, and one at each amount and basis', async () => {
    await Promise.all(Array.from({ length: 23 }, (_, index) => add(1_000 * (index + 1))));
    const more = (amount: number, fields: object = {}) =>
      admin.post(`/events/${event.id}/milestones`, { amount, title: 'More', ...fields });
    expect((await more(2_000).expect(409)).body).toMatchObject({ code: 'MILESTONE_AMOUNT_TAKEN' });
    await more(2_000, { basis: 'with_promises' }).expect(201);
    expect((await more(90_000).expect(409)).body).toMatchObject({ code: 'TOO_MANY_MILESTONES' });
  });

  it('wrong input of a milestone gets a clear answer', async () => {
    const good = { amount: 1_000, title: 'Cake' };
    const path = `/events/${event.id}/milestones`;
    for (const [wrong, field] of [
      [{ amount: 0 }, 'amount'],
      [{ amount: 1.5 }, 'amount'],
      [{ amount: 10 ** 12 + 1 }, 'amount'],
      [{ amount: '1000' }, 'amount'],
      [{ title: '' }, 'title'],
      [{ title: 'x'.repeat(65) }, 'title'],
      [{ short: 'x'.repeat(33) }, 'short'],
      [{ text: 'x'.repeat(281) }, 'text'],
      [{ basis: 'all' }, 'basis'],
      [{ kind: 'party' }, 'kind'],
      [{ announce: 'never' }, 'announce'],
      [{ isVisible: 'yes' }, 'isVisible'],
      [{ image: 'https://example.org/a.png' }, 'image'],
      [{ reachedAt: '2026-01-01' }, 'reachedAt'],
    ] as const) {
      const { body } = await admin.post(path, { ...good, ...wrong }).expect(400);
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining(field) });
    }
    for (const [wrong, code] of [
      [{ basis: 'with_promise' }, 'VALIDATION_FAILED'],
      [{ image: `/images/${'0'.repeat(64)}.webp` }, 'IMAGE_UNKNOWN'],
    ] as const)
      expect((await admin.post(path, { ...good, ...wrong }).expect(400)).body).toMatchObject({ code });
    expect((await admin.get('/milestones').expect(400)).body).toMatchObject({ code: 'EVENT_REQUIRED' });
    await admin.post('/events/no-such-event/milestones', good).expect(404);
    await admin.patch(`/milestones/${UNKNOWN}`, { title: 'x' }).expect(404);
    await admin.patch('/milestones/7', { title: 'x' }).expect(404);
    const { id } = await add(90_000);
    for (const path of ['announce', 'done'])
      expect((await admin.post(`/milestones/${id}/${path}`, {}).expect(409)).body).toMatchObject({
        code: 'MILESTONE_NOT_REACHED',
      });
    expect((await admin.post(`/milestones/${id}/withdraw`, { reason: ' ' }).expect(400)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const draft = await createEvent(app, admin.token, { status: 'draft' });
    await app.http.get(`/events/${draft.id}/milestones`).expect(404);
  });
});

describe('moments', () => {
  it('all walls of the event get a moment that an admin calls, and it is deleted within 48 hours', async () => {
    const [one, other] = [await wallOf(), await wallOf()];
    const sent = { eventId: event.slug, title: 'The raffle begins', text: 'Tickets at the bar', seconds: 8 };
    const { body } = await admin.post('/wall-moments', sent).expect(201);
    const { id } = body as { id: string };
    expect(body).toEqual({ ...sent, id, eventId: event.id, createdAt: expect.any(String) });
    for (const wall of [one, other]) {
      await wall.until(() => heard(wall, 'wall.moment').length === 1);
      expect(heard(wall, 'wall.moment')[0]?.body).toEqual({
        ...sent,
        id,
        eventId: event.id,
        sequence: expect.any(Number),
      });
    }
    await sql(app, "UPDATE wall_moment SET created_at = now() - interval '47 hours 41 minutes'");
    expect(await app.app.get(WallMoments).delete()).toBe(1);
    // The message keeps its place in the feed, without content.
    await one.join({ eventId: event.id, since: 0 });
    expect(heard(one, 'wall.moment').at(-1)?.body).toEqual({
      eventId: event.id,
      sequence: expect.any(Number),
    });
    one.close();
    other.close();
  });

  it('a moment needs an event with walls, a title and 4 to 20 seconds', async () => {
    const good = { eventId: event.id, title: 'Raffle', seconds: 8 };
    for (const wrong of [
      { seconds: 3 },
      { seconds: 21 },
      { seconds: 4.5 },
      { title: '' },
      { title: 'x'.repeat(65) },
      { text: 'x'.repeat(141) },
    ])
      expect((await admin.post('/wall-moments', { ...good, ...wrong }).expect(400)).body).toMatchObject({
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining(Object.keys(wrong)[0] ?? ''),
      });
    await admin.post('/wall-moments', { ...good, eventId: undefined }).expect(400);
    await staff.post('/wall-moments', good).expect(403);
    const draft = await createEvent(app, admin.token, { status: 'draft' });
    expect(
      (await admin.post('/wall-moments', { ...good, eventId: draft.id }).expect(409)).body,
    ).toMatchObject({
      code: 'EVENT_HAS_NO_WALL',
    });
  });
});
