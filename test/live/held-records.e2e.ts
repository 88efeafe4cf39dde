import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type Caller, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

describe('a record above `live.holdFrom`', () => {
  const evening = withEvent({ start: startPaymentsApp, each: true });
  const { app, admin, event } = evening;
  const staff = withStaff(evening, { name: 'Maria', each: true });
  let wall: WallClient;
  beforeEach(async () => {
    await hold(10_000);
    wall = await WallClient.connect(app.url);
    await wall.join(event.id);
  });
  afterEach(() => {
    wall.close();
  });

  const hold = (holdFrom: number | null) =>
    admin.patch(`/events/${event.id}/settings`, { live: { holdFrom } }).expect(200);
  const give = async (fields: object = {}, caller: Caller = staff): Promise<string> => {
    const body = { amount: 50_000, type: 'cash', donorName: 'Ada', confirmed: true, ...fields };
    return ((await caller.post('/donations', body).expect(201)).body as { id: string }).id;
  };
  const show = (id: string, caller: Caller = admin, fields: object = {}) =>
    caller.post(`/donations/${id}/moderation`, { wall: 'visible', ...fields });
  const raised = async () =>
    ((await app.http.get(`/events/${event.slug}`).expect(200)).body as { totalRaised: number }).totalRaised;
  const snapshot = async () =>
    ((await wall.join({ eventId: event.id, snapshot: true })).snapshot as { donations: { id: string }[] })
      .donations;
  const held = async (filter = 'held=true') => {
    const { body } = await admin.get(`/donations?eventId=${event.id}&${filter}`).expect(200);
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  const latest = async (): Promise<string> => {
    const { text } = await app.http.get(`/donate/${event.slug}`).expect(200);
    return /<section class="latest"[^]*?<\/section>/.exec(text)?.[0] ?? '';
  };
  const other = async (): Promise<Caller> => as(app, (await createStaff(app, admin.token, event.id)).token);

  it('counts at once, but reaches no wall, no snapshot and no donate page', async () => {
    const small = await give({ amount: 10_000, donorName: 'Grace' });
    const id = await give();
    await wall.until(() => wall.donations.length === 2);
    expect(wall.donations.map(({ topic, body }) => [topic, body.id])).toEqual([
      ['donation.created', small],
      ['donation.retracted', id],
    ]);
    await wall.until(() => wall.totals.at(-1)?.body.totalRaised === 60_000);
    await until(async () => (await raised()) === 60_000, 'the total');
    expect((await snapshot()).map((one) => one.id)).toEqual([small]);
    await until(async () => (await latest()).includes('Grace'), 'the latest donations');
    expect(await latest()).not.toContain('Ada');
    expect(JSON.stringify(wall.received)).not.toContain('Ada');
    expect(await held()).toEqual([id]);
    expect(await held('held=false')).toEqual([small]);
    expect((await admin.get(`/donations?eventId=${event.id}&held=true`)).body).toMatchObject({
      data: [{ id, wallState: 'held', status: 'COMPLETED', staffName: 'Maria' }],
    });
  });

  it('appears as a new donation, once, when a second person shows it', async () => {
    const id = await give();
    const { body } = await show(id).expect(200);
    expect(body).toMatchObject({ id, wallState: 'visible' });
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject({ id, amount: 50_000, donorName: 'Ada' });
    expect(await snapshot()).toMatchObject([{ id, amount: 50_000 }]);
    expect(await held()).toEqual([]);
    expect(await raised()).toBe(50_000);
    expect(await keptTotals(app)).toEqual(await recount(app));
    const missed = await WallClient.connect(app.url);
    await missed.join({ eventId: event.id, since: 0 });
    expect(missed.donations.map(({ topic }) => topic)).toEqual(['donation.retracted', 'donation.created']);
    missed.close();
    expect((await admin.get(`/donations/${id}/history`).expect(200)).body).toMatchObject([
      { to: 'COMPLETED', actor: 'staff' },
      { to: 'COMPLETED', actor: 'admin', cause: { kind: 'record_shown' } },
    ]);
    expect(
      await sql(
        app,
        "SELECT actor_kind FROM audit_entry WHERE action = 'donation.show' AND subject_id = $1",
        [id],
      ),
    ).toEqual([{ actor_kind: 'admin' }]);
  });

  it('is not shown by the volunteer who recorded it, but by another volunteer of the event', async () => {
    const id = await give();
    expect((await show(id, staff).expect(403)).body).toEqual(
      errorBody(403, 'Forbidden', 'SECOND_PERSON_REQUIRED'),
    );
    expect(await held()).toEqual([id]);
    await show(id, await other()).expect(200);
  });

  it('is not shown by the administrator who recorded it, but by another one', async () => {
    const id = await give({ eventId: event.id }, admin);
    await show(id).expect(403);
    await show(id, as(app, await adminToken(app))).expect(200);
  });

  it('changes nothing at a second click, and names the first person to a second person', async () => {
    const id = await give();
    const second = await createStaff(app, admin.token, event.id, 'Grace');
    await show(id, as(app, second.token)).expect(200);
    expect((await show(id).expect(200)).body).toMatchObject({ wallState: 'visible' });
    const { body } = await show(id, admin, { expected: { wall: 'held' } }).expect(409);
    expect(body).toMatchObject({
      code: 'EDIT_CONFLICT',
      details: [{ field: 'wall', value: 'visible', by: { actor: 'staff', name: 'Grace' } }],
    });
    await wall.until(() => wall.created.length === 1);
    expect((await admin.get(`/donations/${id}/history`)).body).toHaveLength(2);
  });

  it('is shown once if two people show it at once', async () => {
    const id = await give();
    const second = await other();
    const answers = await Promise.all([admin, second, admin, second].map((caller) => show(id, caller)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await give({ amount: 1_000 });
    await wall.until(() => wall.created.length === 2);
    expect(wall.created.map(({ body }) => body.amount)).toEqual([50_000, 1_000]);
    expect((await admin.get(`/donations/${id}/history`)).body).toHaveLength(2);
  });

  it('can be undone while it waits; then nothing is left to show', async () => {
    const id = await give();
    await staff.post(`/donations/${id}/undo`).expect(200);
    expect(await held()).toEqual([]);
    expect(await raised()).toBe(0);
    expect((await show(id).expect(409)).body).toEqual(errorBody(409, 'Conflict', 'RECORD_NOT_HELD'));
    await wall.until(() => wall.donations.length === 2);
    expect(wall.created).toEqual([]);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('can be removed from the books or refunded while it waits', async () => {
    const [wrong, partly] = [await give(), await give()];
    await admin.post(`/donations/${wrong}/cancel`, { shouldRefund: false }).expect(200);
    await admin
      .post(`/donations/${partly}/cancel`, { shouldRefund: true, amount: 20_000 })
      .set('Idempotency-Key', newId())
      .expect(200);
    expect(await held()).toEqual([partly]);
    expect(await raised()).toBe(30_000);
    await show(wrong).expect(409);
    await admin.post(`/donations/${partly}/cancel`, { shouldRefund: true }).expect(200);
    expect(await held()).toEqual([]);
    expect(await raised()).toBe(0);
    await show(partly).expect(409);
    await wall.until(() => wall.donations.length >= 5);
    expect(wall.created).toEqual([]);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('leaves the walls like any donation if it is undone after it was shown', async () => {
    const id = await give();
    await show(id).expect(200);
    await admin.post(`/donations/${id}/undo`).expect(200);
    await wall.until(() => wall.donations.length === 3);
    expect(wall.donations.map(({ topic }) => topic)).toEqual([
      'donation.retracted',
      'donation.created',
      'donation.retracted',
    ]);
    expect(await snapshot()).toEqual([]);
  });

  it('shows no corrected name before its approval, and then the corrected one', async () => {
    const id = await give();
    await staff.patch(`/donations/${id}`, { donorName: 'Ada Lovelace' }).expect(200);
    await wall.until(() => wall.donations.length === 2);
    expect(JSON.stringify(wall.received)).not.toContain('Ada');
    await show(id).expect(200);
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject({ donorName: 'Ada Lovelace' });
  });

  /** The snapshot of a wall that starts now. */
  const starting = async () =>
    (await wall.join({ eventId: event.id, snapshot: true })).snapshot as {
      donations: { id: string }[];
      held?: string[];
    };
  /** Pauses the walls or ends the pause, and waits until a starting wall knows it. */
  const pause = async (paused: boolean) => {
    await admin.patch(`/events/${event.id}/settings`, { live: { wall: { paused } } }).expect(200);
    await until(async () => ((await starting()).held !== undefined) === paused);
  };

  it('a large record that is shown during a pause of the walls waits for its end, also on a wall that starts meanwhile', async () => {
    const id = await give();
    await pause(true);
    await show(id).expect(200);
    await until(async () => (await starting()).held?.length === 1);
    expect(await starting()).toMatchObject({ donations: [{ id }], held: [id] });
    expect(await latest()).not.toContain('Ada');
    await pause(false);
  });

  it('a large record that was shown before a pause stays on a wall that starts during the pause', async () => {
    const id = await give();
    await show(id).expect(200);
    await pause(true);
    expect(await starting()).toMatchObject({ donations: [{ id }], held: [] });
  });

  it('keeps a held message hidden when its card is shown', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, { live: { moderate: 'messages', holdFrom: 10_000 } })
      .expect(200);
    const id = await give({ message: 'Hello' });
    await show(id).expect(200);
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).not.toHaveProperty('message');
    await admin.post(`/donations/${id}/message/approve`).expect(200);
    await wall.until(() => wall.donations.length === 3);
    expect(wall.donations[2]).toMatchObject({ topic: 'donation.updated', body: { message: 'Hello' } });
  });

  it('waits if it is a pledge that a volunteer marks as paid, but not if an administrator does', async () => {
    const [byStaff, byAdmin] = [await give({ type: 'pledge' }), await give({ type: 'pledge' })];
    await staff.post(`/donations/${byStaff}/fulfil`, { type: 'cash' }).expect(200);
    await admin.post(`/donations/${byAdmin}/fulfil`, { type: 'cash' }).expect(200);
    expect(await held()).toEqual([byStaff]);
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject({ id: byAdmin });
    await show(byStaff, staff).expect(403);
    await show(byStaff).expect(200);
    await wall.until(() => wall.created.length === 2);
  });

  it('does not wait if the setting is off; the records that already wait stay', async () => {
    const waiting = await give();
    await hold(null);
    const shown = await give();
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject({ id: shown });
    expect(await held()).toEqual([waiting]);
    await show(shown).expect(409);
  });

  it.each([
    ['an approval that holds', { wall: 'held' }, 400],
    ['an approval that hides', { wall: 'hidden' }, 400],
    ['an approval with a number', { wall: 1 }, 400],
    ['an approval with null', { wall: null }, 400],
    ['an unknown expected field', { wall: 'visible', expected: { amount: 1 } }, 400],
    ['an empty decision', {}, 400],
  ])('refuses %s', async (_, body, status) => {
    const id = await give();
    await admin.post(`/donations/${id}/moderation`, body).expect(status);
    expect(await held()).toEqual([id]);
  });

  it('is not shown by accountants, by strangers, or by members of other events', async () => {
    const id = await give();
    const elsewhere = await createEvent(app, admin.token);
    const stranger = await createStaff(app, admin.token, elsewhere.id);
    await show(id, as(app, await adminToken(app, 'ACCOUNTANT'))).expect(403);
    await show(id, as(app, stranger.token)).expect(404);
    await app.http.post(`/donations/${id}/moderation`).send({ wall: 'visible' }).expect(401);
    expect(await held()).toEqual([id]);
  });

  it.each([0, -1, 1.5, '100', true])('the setting refuses %p', async (holdFrom) => {
    await admin.patch(`/events/${event.id}/settings`, { live: { holdFrom } }).expect(400);
  });
});
