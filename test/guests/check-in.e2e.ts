import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, errorBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { each: true });
const grace = withStaff(evening, { name: 'Grace Hopper', each: true });

interface GuestBody {
  id: string;
  name: string;
  paddle: string | null;
  contestedPaddle: string | null;
  checkedInAt: string | null;
  checkedInBy: string | null;
}
interface CheckedInBody {
  guest: GuestBody;
  alreadyIn: { at: string; by: string | null } | null;
}

const byMaria = () => as(app, maria.token);
const byGrace = () => as(app, grace.token);
const add = async (fields: object = {}) =>
  (await admin.post(`/events/${event.id}/guests`, { name: 'Mary Jones', ...fields }).expect(201))
    .body as GuestBody;
const checkIn = async ({ id }: { id: string }, fields: object = {}, caller = byMaria()) =>
  (await caller.post(`/guests/${id}/check-in`, fields).expect(200)).body as CheckedInBody;
const stored = async () => {
  const { body } = await admin.get(`/events/${event.id}/guests?limit=1000`).expect(200);
  return new Map((body as { data: GuestBody[] }).data.map((guest) => [guest.id, guest]));
};
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('POST /guests/:id/check-in', () => {
  it('stores the time and the volunteer', async () => {
    const mary = await add();
    const { guest, alreadyIn } = await checkIn(mary);
    expect(guest).toMatchObject({ checkedInAt: expect.any(String), checkedInBy: 'Maria Lopez' });
    expect(alreadyIn).toBeNull();
  });

  it('a second check-in gets the volunteer and the time of the first', async () => {
    const mary = await add();
    const { guest } = await checkIn(mary);
    const second = await checkIn(mary, {}, byGrace());
    expect(second.alreadyIn).toEqual({ at: guest.checkedInAt, by: 'Maria Lopez' });
    expect(second.guest.checkedInBy).toBe('Maria Lopez');
  });

  it('the earlier of two check-ins without network counts, in any order of arrival', async () => {
    for (const [first, second] of [
      [20, 10],
      [10, 20],
    ] as const) {
      const mary = await add();
      await checkIn(mary, { at: ago(first) }, byMaria());
      await checkIn(mary, { at: ago(second) }, byGrace());
      const guest = (await stored()).get(mary.id);
      expect(guest?.checkedInBy).toBe(first > second ? 'Maria Lopez' : 'Grace Hopper');
    }
  });

  it('a repeated request changes nothing and is not reported as a second check-in', async () => {
    const mary = await add();
    const at = ago(5);
    const first = await checkIn(mary, { at, nextPaddle: true });
    const second = await checkIn(mary, { at, nextPaddle: true });
    expect(second.alreadyIn).toBeNull();
    expect(second.guest).toMatchObject({ paddle: first.guest.paddle, checkedInAt: at });
  });

  it('a check-in time in the future becomes the time of arrival', async () => {
    const mary = await add();
    const { guest } = await checkIn(mary, { at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(Date.parse(String(guest.checkedInAt))).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('assigns the lowest free paddle, once for each guest, also to many guests at once', async () => {
    await add({ name: 'Preassigned', paddle: '2' });
    const guests = await Promise.all(
      Array.from({ length: 8 }, (_, index) => add({ name: `Guest ${index}` })),
    );
    const answers = await Promise.all(guests.map((guest) => checkIn(guest, { nextPaddle: true })));
    const paddles = answers.map(({ guest }) => Number(guest.paddle)).sort((one, other) => one - other);
    expect(paddles).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
    const again = await checkIn(guests[0] ?? { id: '' }, { nextPaddle: true });
    expect(again.guest.paddle).toBe(answers[0]?.guest.paddle);
  });

  it('assigns a typed paddle, or the paddle of a partner', async () => {
    const [mary, bob] = [await add(), await add({ name: 'Bob Jones' })];
    expect((await checkIn(mary, { paddle: '117' })).guest.paddle).toBe('117');
    expect((await checkIn(bob, { sharesPaddleWith: mary.id })).guest.paddle).toBe('117');
  });

  it('refuses the paddle of another guest while the phone has network, and does not check in the guest', async () => {
    await add({ paddle: '117' });
    const bob = await add({ name: 'Bob Jones' });
    const answer = await byMaria().post(`/guests/${bob.id}/check-in`, { paddle: '117' });
    expect(answer.body).toEqual(errorBody(409, 'Conflict', 'PADDLE_TAKEN'));
    expect((await stored()).get(bob.id)?.checkedInAt).toBeNull();
  });

  it('if two phones without network give the same paddle, the earlier guest keeps it and both guests are marked', async () => {
    for (const [first, second] of [
      [20, 10],
      [10, 20],
    ] as const) {
      const paddle = `p${first}`;
      const [mary, bob] = [await add(), await add({ name: 'Bob Jones' })];
      await checkIn(mary, { at: ago(first), paddle }, byMaria());
      await checkIn(bob, { at: ago(second), paddle }, byGrace());
      const guests = await stored();
      const [earlier, later] = first > second ? [mary, bob] : [bob, mary];
      expect(guests.get(earlier.id)).toMatchObject({ paddle, contestedPaddle: paddle });
      expect(guests.get(later.id)).toMatchObject({ paddle: null, contestedPaddle: paddle });
      // Another paddle for the later guest removes both marks.
      await checkIn(later, { paddle: `${paddle}-new` });
      const settled = await stored();
      expect(settled.get(earlier.id)).toMatchObject({ paddle, contestedPaddle: null });
      expect(settled.get(later.id)).toMatchObject({ paddle: `${paddle}-new`, contestedPaddle: null });
    }
  });

  it('a guest who got two paddles keeps the earlier one, and the other is marked', async () => {
    const mary = await add();
    await checkIn(mary, { at: ago(20), paddle: '20' }, byMaria());
    const { guest } = await checkIn(mary, { at: ago(10), paddle: '21' }, byGrace());
    expect(guest).toMatchObject({ paddle: '20', contestedPaddle: '21' });
    const bob = await add({ name: 'Bob Jones' });
    // The second paddle of the guest may be in use, so the service does not give number 21 to another guest.
    for (let number = 1; number <= 19; number++)
      await add({ name: `Guest ${number}`, paddle: String(number) });
    expect((await checkIn(bob, { nextPaddle: true })).guest.paddle).toBe('22');
  });

  it('removing a check-in keeps the paddle, and the guest can be checked in again', async () => {
    const mary = await add();
    await checkIn(mary, { paddle: '117' });
    for (let times = 0; times < 2; times++) {
      const { body } = await byGrace().delete(`/guests/${mary.id}/check-in`).expect(200);
      expect(body).toMatchObject({ checkedInAt: null, checkedInBy: null, paddle: '117' });
    }
    expect((await checkIn(mary, {}, byGrace())).guest.checkedInBy).toBe('Grace Hopper');
  });

  it('the audit log records check-ins without names of guests', async () => {
    const mary = await add();
    await checkIn(mary);
    await checkIn(mary, {}, byGrace());
    const rows = await sql<{ action: string; text: string }>(
      app,
      'SELECT action, a::text AS text FROM audit_entry a WHERE subject_id = $1 ORDER BY id',
      [mary.id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['guest.create', 'guest.check_in']);
    for (const { text } of rows) expect(text).not.toContain('Mary');
  });
});

describe('POST /events/:id/guests/walk-ins', () => {
  const walkIn = (fields: object, caller = byMaria()) =>
    caller.post(`/events/${event.id}/guests/walk-ins`, { id: newId(), name: 'Eve Adams', ...fields });

  it('adds and checks in a guest once, also when the phone sends it again', async () => {
    const fields = { id: newId(), table: '12', email: 'eve@example.org', at: ago(5), nextPaddle: true };
    const first = (await walkIn(fields).expect(201)).body as CheckedInBody;
    const second = (await walkIn(fields).expect(201)).body as CheckedInBody;
    expect(second).toEqual({ ...first, guest: { ...first.guest, updatedAt: expect.any(String) } });
    const guests = [...(await stored()).values()];
    expect(guests).toEqual([
      expect.objectContaining({ name: 'Eve Adams', table: '12', email: 'eve@example.org', paddle: '1' }),
    ]);
  });

  it('refuses wrong fields and the paddle of another guest, and adds no guest', async () => {
    await add({ paddle: '117' });
    await walkIn({ name: '' }).expect(400);
    await walkIn({ id: 'one' }).expect(400);
    await walkIn({ email: 'no address' }).expect(400);
    await walkIn({ paddle: '117' }).expect(409);
    expect((await stored()).size).toBe(1);
  });
});

describe('GET /events/:id/guests/count', () => {
  it('counts expected and present guests by table, tables in natural order', async () => {
    const mary = await add({ table: '10' });
    await add({ table: '2' });
    await add({ table: '10' });
    await add({});
    await checkIn(mary);
    const { body } = await byMaria().get(`/events/${event.id}/guests/count`).expect(200);
    expect(body).toEqual({
      expected: 4,
      checkedIn: 1,
      contested: 0,
      tables: [
        { table: '2', expected: 1, checkedIn: 0 },
        { table: '10', expected: 2, checkedIn: 1 },
        { table: null, expected: 1, checkedIn: 0 },
      ],
    });
  });
});
