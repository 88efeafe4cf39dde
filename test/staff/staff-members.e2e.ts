import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { Pins } from '../../src/staff/pins.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);

interface Member {
  id: string;
  code: string;
  name: string;
  createdAt: string;
}

const as = (token: string) => app.agent().auth(token, { type: 'bearer' });
const create = async (body: object): Promise<Member> =>
  (await as(admin.token).post('/staff').send(body).expect(201)).body as Member;
/** A PIN that no other test uses. */
let pins = 0;
const newPin = () => `77${String(pins++).padStart(5, '0')}`;

describe('POST /staff/many', () => {
  const many = (body: object) => as(admin.token).post('/staff/many').send(body);
  const count = async () => ((await as(admin.token).get('/staff?pins=false')).body as unknown[]).length;

  it('adds all members with their own PINs and assigns them to the event', async () => {
    const event = await createEvent(app, admin.token);
    const members = Array.from({ length: 40 }, (_, index) => ({ name: `Volunteer ${index}` }));
    const { body } = await many({ members, eventId: event.slug }).expect(201);
    const made = body as Member[];
    expect(made.map(({ name }) => name)).toEqual(members.map(({ name }) => name));
    expect(new Set(made.map(({ code }) => code)).size).toBe(40);
    const here = (await as(admin.token).get(`/events/${event.id}/staff`).expect(200)).body as Member[];
    expect(here).toHaveLength(40);
  });

  it.each([
    ['a wrong name', { members: [{ name: 'Ada' }, { name: ' ' }] }, 400],
    ['an unknown event', { members: [{ name: 'Ada' }], eventId: newId() }, 404],
    ['too many members', { members: Array.from({ length: 101 }, () => ({ name: 'Ada' })) }, 400],
    ['no list', { members: 'Ada' }, 400],
  ])('adds no member for a request with %s', async (_what, body, status) => {
    const before = await count();
    await many(body).expect(status);
    expect(await count()).toBe(before);
  });
});

describe('POST /staff', () => {
  it('creates a staff member with the chosen PIN', async () => {
    const code = newPin();
    const member = await create({ name: 'Maria Lopez', code });
    expect(member).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      code,
      name: 'Maria Lopez',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it.each([{}, { code: null }, { code: '' }, { code: '  ' }])(
    'creates a PIN of six digits if the request has none (%j)',
    async (body) => {
      const { code } = await create({ name: 'Maria Lopez', ...body });
      expect(code).toMatch(/^\d{6}$/);
    },
  );

  it('accepts PINs of 6 to 10 digits, with leading zeros', async () => {
    for (const code of ['000042', '0000000042'])
      expect((await create({ name: 'Zero', code })).code).toBe(code);
  });

  it('keeps an existing shorter PIN, but sets no new one', async () => {
    const { id } = await create({ name: 'Old' });
    const { digest, sealed } = app.app.get(Pins).keep('4711');
    await sql(app, 'UPDATE staff_member SET pin_digest = $2, pin_sealed = $3 WHERE id = $1', [
      id,
      digest,
      sealed,
    ]);
    const put = (code: string) => as(admin.token).put(`/staff/${id}`).send({ name: 'Older', code });
    const { body } = await put('4711').expect(200);
    expect(body).toMatchObject({ name: 'Older', code: '4711' });
    await put('4712').expect(400);
    await put('471100').expect(200);
  });

  it('trims the name of the member', async () => {
    expect((await create({ name: '  Zoe\u0308  ' })).name).toBe('Zo\u00eb');
  });

  it('answers 409 to the PIN of another member', async () => {
    const { code } = await create({ name: 'First' });
    const { body } = await as(admin.token).post('/staff').send({ name: 'Second', code }).expect(409);
    expect(body).toEqual({
      statusCode: 409,
      message: 'Another staff member has this PIN',
      error: 'Conflict',
      code: 'PIN_TAKEN',
    });
  });

  it('gives a PIN to one of several simultaneous requests', async () => {
    const code = newPin();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => as(admin.token).post('/staff').send({ name: 'Racer', code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it('requests wait for a database connection while others use all of them', async () => {
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN; LOCK TABLE staff_member IN SHARE MODE');
      const all = Array.from({ length: 30 }, () => as(admin.token).post('/staff').send({ name: 'Patient' }));
      const answers = Promise.all(all);
      await pause(3_500);
      await other.query('ROLLBACK');
      expect((await answers).map(({ status }) => status)).toEqual(Array<number>(30).fill(201));
    } finally {
      await other.end();
    }
  });

  it.each([
    ['no name', {}, 'name must be a string'],
    ['a blank name', { name: '  ' }, 'name must not be empty'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name must be at most 200 characters'],
    ['a name with a NUL', { name: 'a\u0000b' }, 'name must not contain control characters'],
    ['a PIN that is too short', { name: 'x', code: '12345' }, 'code must be 6 to 10 digits'],
    ['a PIN that is too long', { name: 'x', code: '12345678901' }, 'code must be 6 to 10 digits'],
    ['a PIN with letters', { name: 'x', code: '12ab' }, 'code must be 6 to 10 digits'],
    ['a PIN in non-ASCII digits', { name: 'x', code: '١٢٣٤' }, 'code must be 6 to 10 digits'],
    ['a number as PIN', { name: 'x', code: 1234 }, 'code must be 6 to 10 digits'],
    ['an unknown field', { name: 'x', role: 'ADMIN' }, 'role is not a known field'],
    ['an id', { name: 'x', id: newId() }, 'id is not a known field'],
  ])('answers 400 to %s', async (_, body, message) => {
    const response = await as(admin.token).post('/staff').send(body).expect(400);
    expect(response.body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect((response.body as { message: string }).message).toContain(message);
  });

  it('stores no PIN in plain text in the database', async () => {
    const code = '8675309042';
    const { id } = await create({ name: 'Sealed', code });
    const [row] = await sql<{ text: string; bytes: Buffer }>(
      app,
      'SELECT m::text AS text, pin_sealed AS bytes FROM staff_member m WHERE id = $1',
      [id],
    );
    expect(row?.text).not.toContain(code);
    expect(row?.text).not.toContain(Buffer.from(code).toString('hex'));
    expect(row?.bytes.toString('latin1')).not.toContain(code);
    const audit = await sql<{ text: string }>(app, 'SELECT a::text AS text FROM audit_entry a');
    expect(audit.map(({ text }) => text).join('\n')).not.toContain(code);
  });
});

describe('GET /staff', () => {
  it('returns an array of all members with their PINs', async () => {
    const member = await create({ name: 'Listed' });
    const { body } = await as(admin.token).get('/staff').expect(200);
    expect(body).toContainEqual(member);
    for (const one of body as Member[])
      expect(Object.keys(one).sort()).toEqual(['code', 'createdAt', 'id', 'name']);
  });

  it('returns no PINs for ?pins=false, and the audit records no view of PINs', async () => {
    const member = await create({ name: 'Unseen' });
    const looks = async () =>
      (await sql(app, "SELECT 1 FROM audit_entry WHERE action = 'staff.see_pins'")).length;
    const before = await looks();
    const { body } = await as(admin.token).get('/staff?pins=false').expect(200);
    const { code: _, ...unseen } = member;
    expect(body).toContainEqual(unseen);
    for (const one of body as Member[]) expect(Object.keys(one).sort()).toEqual(['createdAt', 'id', 'name']);
    expect(await looks()).toBe(before);
    await as(admin.token).get('/staff?pins=true').expect(200);
    expect(await looks()).toBe(before + 1);
    for (const pins of ['no', '1', '']) await as(admin.token).get(`/staff?pins=${pins}`).expect(400);
  });

  it('refuses callers who are staff', async () => {
    const event = await createEvent(app, admin.token);
    const { token, id } = await createStaff(app, admin.token, event.id);
    await as(token).get('/staff').expect(403);
    await as(token).get(`/staff/${id}`).expect(403);
    await as(token).post('/staff').send({ name: 'x' }).expect(403);
    await as(token).put(`/staff/${id}`).send({ name: 'x' }).expect(403);
    await as(token).delete(`/staff/${id}`).expect(403);
  });
});

describe('GET /staff/:id', () => {
  it('returns one staff member', async () => {
    const member = await create({ name: 'One' });
    expect((await as(admin.token).get(`/staff/${member.id}`).expect(200)).body).toEqual(member);
  });

  it.each([newId(), 'not-an-id', '%00', '1; DROP TABLE staff_member'])('answers 404 to %s', async (id) => {
    const { body } = await as(admin.token).get(`/staff/${id}`).expect(404);
    expect(body).toMatchObject({ statusCode: 404, error: 'Not Found' });
  });
});

describe('PUT /staff/:id', () => {
  it('renames a member', async () => {
    const member = await create({ name: 'Before' });
    const { body } = await as(admin.token).put(`/staff/${member.id}`).send({ name: 'After' }).expect(200);
    expect(body).toEqual({ ...member, name: 'After' });
  });

  it('after a PIN change the new PIN signs in and the old one does not', async () => {
    const event = await createEvent(app, admin.token);
    const { id, code: old, name } = await createStaff(app, admin.token, event.id);
    const code = newPin();
    const { body } = await as(admin.token).put(`/staff/${id}`).send({ name, code }).expect(200);
    expect(body).toMatchObject({ id, code });
    const login = (pin: string) => app.http.post('/auth/staff/login').send({ code: pin, eventId: event.id });
    await login(code).expect(200);
    await login(old).expect(401);
  });

  it('ignores unchanged read-only fields', async () => {
    const event = await createEvent(app, admin.token);
    const { id, token } = await createStaff(app, admin.token, event.id);
    const { body: read } = await as(admin.token).get(`/staff/${id}`);
    const { body } = await as(admin.token)
      .put(`/staff/${id}`)
      .send({ ...(read as Member), name: 'Echoed' })
      .expect(200);
    expect(body).toEqual({ ...(read as Member), name: 'Echoed' });
    // The PIN did not change, so the member stays signed in.
    await as(token).get('/events').expect(200);
  });

  it.each([
    { id: newId() },
    { createdAt: '2020-01-01T00:00:00.000Z' },
    { createdAt: 'yesterday' },
    { role: 'ADMIN' },
  ])('answers 400 to a changed read-only field and to unknown fields: %j', async (change) => {
    const member = await create({ name: 'Fixed' });
    await as(admin.token)
      .put(`/staff/${member.id}`)
      .send({ name: 'Fixed', ...change })
      .expect(400);
  });

  it('answers 400 without a name, 404 to an unknown member, and 409 to a used PIN', async () => {
    const { id } = await create({ name: 'x' });
    const { code } = await create({ name: 'y' });
    await as(admin.token).put(`/staff/${id}`).send({}).expect(400);
    await as(admin.token).put(`/staff/${newId()}`).send({ name: 'x' }).expect(404);
    await as(admin.token).put(`/staff/${id}`).send({ name: 'x', code }).expect(409);
  });
});

describe('DELETE /staff/:id', () => {
  it('removes a member, who is no longer listed and cannot sign in', async () => {
    const event = await createEvent(app, admin.token);
    const { id, code } = await createStaff(app, admin.token, event.id);
    const { body } = await as(admin.token).delete(`/staff/${id}`).expect(200);
    expect(body).toEqual({ id, deleted: true });
    await as(admin.token).get(`/staff/${id}`).expect(404);
    await as(admin.token).delete(`/staff/${id}`).expect(404);
    expect((await as(admin.token).get(`/events/${event.id}/staff`).expect(200)).body).toEqual([]);
    await app.http.post('/auth/staff/login').send({ code, eventId: event.id }).expect(401);
  });

  it('frees the PIN for another member', async () => {
    const { id, code } = await create({ name: 'Leaving' });
    await as(admin.token).delete(`/staff/${id}`).expect(200);
    expect((await create({ name: 'Joining', code })).code).toBe(code);
  });
});

describe('audit log of staff changes', () => {
  it('each audit entry names the admin, the action and the member', async () => {
    const event = await createEvent(app, admin.token);
    const { id } = await create({ name: 'Recorded' });
    await as(admin.token).put(`/staff/${id}`).send({ name: 'Renamed', code: newPin() }).expect(200);
    await as(admin.token).post(`/events/${event.id}/staff/${id}`).expect(201);
    await as(admin.token).delete(`/events/${event.id}/staff/${id}`).expect(200);
    await as(admin.token).delete(`/staff/${id}`).expect(200);
    const rows = await sql(
      app,
      'SELECT actor_kind, action, detail FROM audit_entry WHERE subject_id = $1 AND actor_id IS NOT NULL ORDER BY id',
      [id],
    );
    expect(rows).toEqual([
      { actor_kind: 'admin', action: 'staff.create', detail: {} },
      { actor_kind: 'admin', action: 'staff.update', detail: { renamed: true, newPin: true } },
      { actor_kind: 'admin', action: 'staff.assign', detail: { eventId: event.id } },
      { actor_kind: 'admin', action: 'staff.unassign', detail: { eventId: event.id } },
      { actor_kind: 'admin', action: 'staff.delete', detail: {} },
    ]);
  });
});
