import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type Caller, type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, createStaff, sql, type StaffFixture } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';
import { enrolTerminal, signInOn, type TerminalFixture } from '../support/terminals.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });

const HOUR = 3_600_000;
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();

type Body = DonationBody & {
  recordedAt: string;
  terminalId: string | null;
  paddle: string | null;
  roundId: string | null;
};
const send = (caller: Caller, fields: object = {}, key: string = randomUUID()) =>
  caller.post('/donations', { amount: 2500, type: 'cash', ...fields }).set('Idempotency-Key', key);
const record = async (fields: object = {}, key?: string) =>
  (await send(staff, fields, key).expect(201)).body as Body;
const reviewOf = async (id: string) =>
  await sql<{ kind: string; detail: Record<string, string> }>(
    app,
    'SELECT kind, detail FROM review_item WHERE donation_id = $1',
    [id],
  );

describe('recordedAt of a donation', () => {
  it('a donation has the time of the device and its time of arrival', async () => {
    const recordedAt = ago(3 * HOUR);
    const body = await record({ recordedAt, paddle: '117' });
    expect(body).toMatchObject({ recordedAt, paddle: '117', roundId: null, terminalId: null });
    expect(Date.now() - Date.parse(body.createdAt)).toBeLessThan(60_000);
    expect(body.completedAt).toBe(body.createdAt);
    const { data } = (await staff.get('/donations').expect(200)).body as { data: Body[] };
    expect(data[0]).toEqual(body);
    expect(await reviewOf(body.id)).toEqual([]);
  });

  it('a donation without recordedAt has its time of arrival', async () => {
    const body = await record();
    expect(body.recordedAt).toBe(body.createdAt);
    expect(body.paddle).toBeNull();
  });

  it('a recordedAt slightly in the future becomes the time of arrival without a review item', async () => {
    const body = await record({ recordedAt: ago(-90_000) });
    expect(body.recordedAt).toBe(body.createdAt);
    expect(await reviewOf(body.id)).toEqual([]);
  });

  it.each([
    ['ten minutes ahead', () => ago(-10 * 60_000)],
    ['many years ahead', () => '2099-01-01T00:00:00Z'],
    ['more than a day before the event', () => ago(80 * HOUR)],
    ['of a clock that was reset', () => '1970-01-01T00:00:01Z'],
  ])('a recordedAt %s is replaced by the time of arrival, with a review item', async (_, time) => {
    const recordedAt = time();
    const key = randomUUID();
    const body = await record({ recordedAt }, key);
    expect(body.recordedAt).toBe(body.createdAt);
    expect(body).toMatchObject({ warning: { code: 'RECORDED_AT_REPLACED' } });
    expect(await record({ recordedAt }, key)).toEqual(body);
    const [item] = await reviewOf(body.id);
    expect(item).toMatchObject({ kind: 'recorded_at_rejected' });
    expect(Date.parse(item?.detail.sent ?? '')).toBe(Date.parse(recordedAt));
    expect(Date.parse(item?.detail.used ?? '')).toBe(Date.parse(body.createdAt));
    const { body: listed } = await admin.get('/review-items').expect(200);
    expect(JSON.stringify(listed)).toContain('clock of the terminal');
  });

  it('a recordedAt before the day of the event is accepted for donations that arrive before that day', async () => {
    await admin.patch(`/events/${event.id}`, { date: ago(-30 * 24 * HOUR) }).expect(200);
    const recordedAt = ago(2 * HOUR);
    const body = await record({ recordedAt });
    expect(body).toMatchObject({ recordedAt });
    expect(await reviewOf(body.id)).toEqual([]);
  });

  it('a recordedAt during an event that ended long ago is accepted', async () => {
    const date = ago(20 * 24 * HOUR);
    await admin.patch(`/events/${event.id}`, { date }).expect(200);
    expect(await record({ recordedAt: date })).toMatchObject({ recordedAt: date });
  });

  it('each recordedAt of a batch is checked separately, and all donations are recorded', async () => {
    const times = Array.from({ length: 20 }, (_, i) => (i % 4 === 0 ? ago(-HOUR) : ago(i * 60_000)));
    const records = await Promise.all(times.map((recordedAt) => record({ recordedAt })));
    const asSent = records.map(({ recordedAt }, i) => recordedAt === times[i]);
    expect(asSent).toEqual(times.map((_, i) => i % 4 !== 0));
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it.each([['yesterday'], [1_700_000_000], [{}]])(
    'a recordedAt that is no timestamp answers 400: %j',
    async (recordedAt) => {
      await send(staff, { recordedAt }).expect(400);
    },
  );
});

describe('a repeated donation with recordedAt', () => {
  it('a repeated donation keeps its first time and first answer, even with another recordedAt', async () => {
    const key = randomUUID();
    const first = await record({ recordedAt: ago(HOUR) }, key);
    expect(await record({ recordedAt: ago(60_000) }, key)).toEqual(first);
    expect(await record({}, key)).toEqual(first);
    expect(await sql(app, 'SELECT count(*)::int AS n FROM donation WHERE event_id = $1', [event.id])).toEqual(
      [{ n: 1 }],
    );
  });

  it('the same key with another paddle answers 409', async () => {
    const key = randomUUID();
    await record({ paddle: '1' }, key);
    expect((await send(staff, { paddle: '2' }, key).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'IDEMPOTENCY_KEY_REUSED'),
    );
  });

  it('a repeated donation has the stored time, even if the first recordedAt was replaced', async () => {
    const key = randomUUID();
    const first = await record({ recordedAt: ago(-HOUR) }, key);
    const again = await record({ recordedAt: ago(-HOUR) }, key);
    expect(again).toEqual(first);
    expect(await reviewOf(first.id)).toHaveLength(1);
  });
});

describe('paddle and round of a donation', () => {
  it.each(['1234567890123', 'a b', 'é', 7])('refuses the paddle %j', async (paddle) => {
    await send(staff, { paddle, type: 'pledge' }).expect(400);
  });

  it.each(['', ' ', null])('treats %j as an absent paddle and an absent recordedAt', async (blank) => {
    const body = await record({ paddle: blank, roundId: blank, recordedAt: blank });
    expect(body).toMatchObject({ paddle: null, roundId: null, recordedAt: body.createdAt });
    expect(body).not.toHaveProperty('warning');
  });

  it('refuses a round of another event and records the rest of the batch', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        send(staff, { type: 'pledge', ...(i === 4 ? { roundId: newId() } : {}) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i === 4 ? 404 : 201)));
    expect(answers[4]?.body).toEqual(errorBody(404, 'Not Found', 'PLEDGE_ROUND_NOT_FOUND'));
    await send(staff, { type: 'cash', roundId: newId() }).expect(400);
  });
});

describe('waiting donations of an absent staff member on a terminal', () => {
  let terminal: TerminalFixture;
  let grace: StaffFixture;
  let next: Caller;
  const notReleased = errorBody(403, 'Forbidden', 'TERMINAL_NOT_RELEASED');
  const notSignedIn = errorBody(403, 'Forbidden', 'TAKER_NOT_SIGNED_IN');

  beforeEach(async () => {
    terminal = await enrolTerminal(app, admin.token);
    await signInOn(app, terminal, staff.code, event.id);
    grace = await createStaff(app, admin.token, event.id, 'Grace Hopper');
    next = as(app, await signInOn(app, terminal, grace.code, event.id));
  });
  const release = () => admin.post(`/terminals/${terminal.id}/release`).expect(200);
  const ofMaria = (fields: object = {}) => ({ takenBy: staff.id, recordedAt: ago(HOUR), ...fields });

  it('the next member sends waiting donations after an admin released them, and they keep their staff member', async () => {
    expect((await send(next, ofMaria()).expect(403)).body).toEqual(notReleased);
    expect((await release()).body).toMatchObject({ releasedAt: expect.any(String) });
    const { body } = await send(next, ofMaria()).expect(201);
    expect(body).toMatchObject({ staffId: staff.id, staffName: 'Maria Lopez', terminalId: terminal.id });
    const { body: history } = await admin.get(`/donations/${(body as Body).id}/history`).expect(200);
    expect(history).toMatchObject([{ actor: 'staff', actorId: grace.id }]);
    expect(
      await sql(
        app,
        "SELECT actor_kind FROM audit_entry WHERE action = 'terminal.release' AND subject_id = $1",
        [terminal.id],
      ),
    ).toEqual([{ actor_kind: 'admin' }]);
  });

  it('a released donation is booked once, although its staff member had already sent it', async () => {
    const key = randomUUID();
    const own = as(app, await signInOn(app, terminal, staff.code, event.id));
    const sent = { recordedAt: ago(HOUR), donorName: 'Ada' };
    const { body: first } = await send(own, sent, key).expect(201);
    await release();
    expect((await send(next, { ...sent, takenBy: staff.id }, key).expect(201)).body).toEqual(first);
    // The service returns the first answer for a stored donation, whether the terminal is released or not.
    await sql(app, 'UPDATE terminal SET released_at = NULL WHERE id = $1', [terminal.id]);
    expect((await send(next, { ...sent, takenBy: staff.id }, key).expect(201)).body).toEqual(first);
  });

  it('a released donation needs its own UUID key, so that it is booked only once', async () => {
    await release();
    expect((await send(next, ofMaria(), 'till-1-0001').expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'IDEMPOTENCY_KEY_REQUIRED'),
    );
    await next.post('/donations', { amount: 100, type: 'cash', ...ofMaria() }).expect(400);
    await send(next, { takenBy: staff.id }).expect(400);
  });

  it('the release does not cover donations recorded later, on another terminal or without a terminal', async () => {
    await release();
    await sql(app, "UPDATE terminal SET released_at = released_at - interval '2 hours' WHERE id = $1", [
      terminal.id,
    ]);
    expect((await send(next, ofMaria()).expect(403)).body).toEqual(notReleased);
    await release();
    const other = await enrolTerminal(app, admin.token);
    const elsewhere = as(app, await signInOn(app, other, grace.code, event.id));
    expect((await send(elsewhere, ofMaria()).expect(403)).body).toEqual(notReleased);
    expect((await send(as(app, grace.token), ofMaria()).expect(403)).body).toEqual(notReleased);
    expect((await send(admin, { ...ofMaria(), eventId: event.id }).expect(403)).body).toEqual(notReleased);
    await send(next, ofMaria({ takenBy: 'x' })).expect(400);
  });

  it('a released donation is booked only for a member who signed in on that terminal', async () => {
    const colleague = await createStaff(app, admin.token, event.id, 'Ada Byron');
    const other = await enrolTerminal(app, admin.token, 'Table 5');
    await signInOn(app, other, colleague.code, event.id);
    await as(app, colleague.token).post('/shifts', { openingFloat: 0 }).expect(201);
    await release();
    // The token of the fixture comes from a sign-in without a terminal.
    for (const takenBy of [colleague.id, newId()])
      expect((await send(next, ofMaria({ takenBy })).expect(403)).body).toEqual(notSignedIn);
    expect(await sql(app, 'SELECT id FROM donation WHERE event_id = $1', [event.id])).toEqual([]);
  });

  it('a released donation is booked only for a member who signed in before the release', async () => {
    const late = await createStaff(app, admin.token, event.id, 'Ada Byron');
    await release();
    await signInOn(app, terminal, late.code, event.id);
    expect((await send(next, ofMaria({ takenBy: late.id })).expect(403)).body).toEqual(notSignedIn);
    await release();
    await send(next, ofMaria({ takenBy: late.id })).expect(201);
  });

  it('a released donation is booked only for a member who signed in at its event', async () => {
    const elsewhere = await createEvent(app, admin.token);
    const stranger = await createStaff(app, admin.token, elsewhere.id, 'Ada Byron');
    await signInOn(app, terminal, stranger.code, elsewhere.id);
    await release();
    expect((await send(next, ofMaria({ takenBy: stranger.id })).expect(403)).body).toEqual(notSignedIn);
  });

  it('a released donation is refused for a removed member who never signed in on the terminal', async () => {
    const removed = await createStaff(app, admin.token, event.id, 'Ada Byron');
    await admin.delete(`/staff/${removed.id}`).expect(200);
    await release();
    expect((await send(next, ofMaria({ takenBy: removed.id })).expect(403)).body).toEqual(notSignedIn);
  });

  it('the release of a terminal expires after a day', async () => {
    await release();
    await sql(app, "UPDATE terminal SET released_at = now() - interval '25 hours' WHERE id = $1", [
      terminal.id,
    ]);
    expect((await send(next, ofMaria({ recordedAt: ago(26 * HOUR) })).expect(403)).body).toEqual(notReleased);
  });

  it('a released donation may belong to a member who was removed later', async () => {
    await release();
    await admin.delete(`/staff/${staff.id}`).expect(200);
    expect((await send(next, ofMaria()).expect(201)).body).toMatchObject({ staffName: 'Maria Lopez' });
  });

  it('the heartbeat answers with the time at which an admin released the donations of a terminal', async () => {
    const beat = async () =>
      (
        await app.http
          .post('/terminals/heartbeat')
          .set('X-Device-Token', terminal.deviceToken)
          .send({ waiting: 2 })
          .expect(200)
      ).body as { release: { before: string } | null };
    expect((await beat()).release).toBeNull();
    const { releasedAt } = (await release()).body as { releasedAt: string };
    expect((await beat()).release).toEqual({ before: releasedAt });
    await sql(app, "UPDATE terminal SET released_at = now() - interval '25 hours' WHERE id = $1", [
      terminal.id,
    ]);
    expect((await beat()).release).toBeNull();
  });
});
