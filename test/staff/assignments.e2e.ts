import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({ each: true });
const as = (token: string) => app.agent().auth(token, { type: 'bearer' });

const createMember = async () =>
  (await as(admin.token).post('/staff').send({ name: 'Maria Lopez' }).expect(201)).body as {
    id: string;
    code: string;
  };

describe('POST /events/:id/staff/:staffId', () => {
  it('assigns a member to an event by id or slug', async () => {
    for (const reference of [event.id, event.slug]) {
      const { id } = await createMember();
      const { body } = await as(admin.token).post(`/events/${reference}/staff/${id}`).expect(201);
      expect(body).toEqual({ eventId: event.id, staffId: id, createdAt: expect.any(String) });
    }
  });

  it('returns an existing assignment unchanged', async () => {
    const { id } = await createMember();
    const first = await as(admin.token).post(`/events/${event.id}/staff/${id}`).expect(201);
    const second = await as(admin.token).post(`/events/${event.id}/staff/${id}`).expect(201);
    expect(second.body).toEqual(first.body);
  });

  it('assigns one member to several events and several members to one event', async () => {
    const other = await createEvent(app, admin.token);
    const members = [await createMember(), await createMember()];
    for (const { id } of members) {
      await as(admin.token).post(`/events/${event.id}/staff/${id}`).expect(201);
      await as(admin.token).post(`/events/${other.id}/staff/${id}`).expect(201);
    }
    for (const { id } of [event, other]) {
      const { body } = await as(admin.token).get(`/events/${id}/staff`).expect(200);
      expect((body as { id: string }[]).map((one) => one.id)).toEqual(members.map((one) => one.id));
    }
  });

  it('answers 404 for an unknown or removed member and for an unknown event', async () => {
    const { id } = await createMember();
    await as(admin.token).post(`/events/${newId()}/staff/${id}`).expect(404);
    await as(admin.token).post(`/events/no-such-event/staff/${id}`).expect(404);
    await as(admin.token).post(`/events/${event.id}/staff/${newId()}`).expect(404);
    await as(admin.token).post(`/events/${event.id}/staff/garbage`).expect(404);
    await as(admin.token).delete(`/staff/${id}`).expect(200);
    await as(admin.token).post(`/events/${event.id}/staff/${id}`).expect(404);
  });
});

describe('GET /events/:id/staff', () => {
  it('returns an array of the members, with PINs to an admin', async () => {
    const { id, code } = await createStaff(app, admin.token, event.id);
    const { body } = await as(admin.token).get(`/events/${event.slug}/staff`).expect(200);
    expect(body).toEqual([{ id, code, name: 'Maria Lopez', createdAt: expect.any(String) }]);
  });

  it('returns no PINs for ?pins=false, and the audit records no view of PINs', async () => {
    const { id } = await createStaff(app, admin.token, event.id);
    const { body } = await as(admin.token).get(`/events/${event.slug}/staff?pins=false`).expect(200);
    expect(body).toEqual([{ id, name: 'Maria Lopez', createdAt: expect.any(String) }]);
    const looks = await sql(
      app,
      "SELECT 1 FROM audit_entry WHERE action = 'staff.see_pins' AND subject_id = $1",
      [event.id],
    );
    expect(looks).toEqual([]);
  });

  it('returns colleagues without PINs to staff of the event', async () => {
    const { token } = await createStaff(app, admin.token, event.id, 'Maria Lopez');
    await createStaff(app, admin.token, event.id, 'Jon Snow');
    const { body } = await as(token).get(`/events/${event.id}/staff`).expect(200);
    expect((body as { name: string }[]).map(({ name }) => name)).toEqual(['Maria Lopez', 'Jon Snow']);
    for (const colleague of body as object[])
      expect(Object.keys(colleague)).toEqual(['id', 'name', 'createdAt']);
  });

  it('answers 404 to staff of another event', async () => {
    const { token } = await createStaff(app, admin.token, event.id);
    const other = await createEvent(app, admin.token);
    const hidden = await as(token).get(`/events/${other.id}/staff`).expect(404);
    const missing = await as(token).get(`/events/${newId()}/staff`).expect(404);
    expect(hidden.body).toEqual(missing.body);
  });

  it('refuses requests without a token', async () => {
    await app.http.get(`/events/${event.id}/staff`).expect(401);
  });
});

describe('DELETE /events/:id/staff/:staffId', () => {
  it('removes the assignment and keeps the member', async () => {
    const { id } = await createStaff(app, admin.token, event.id);
    const { body } = await as(admin.token).delete(`/events/${event.slug}/staff/${id}`).expect(200);
    expect(body).toEqual({ id, deleted: true });
    expect((await as(admin.token).get(`/events/${event.id}/staff`)).body).toEqual([]);
    await as(admin.token).get(`/staff/${id}`).expect(200);
  });

  it('answers 404 without such an assignment', async () => {
    const { id } = await createMember();
    await as(admin.token).delete(`/events/${event.id}/staff/${id}`).expect(404);
    await as(admin.token).delete(`/events/${event.id}/staff/garbage`).expect(404);
    await as(admin.token).delete(`/events/${newId()}/staff/${id}`).expect(404);
  });

  it('only admins may assign and unassign members', async () => {
    const { token, id } = await createStaff(app, admin.token, event.id);
    await as(token).delete(`/events/${event.id}/staff/${id}`).expect(403);
    await as(token).post(`/events/${event.id}/staff/${id}`).expect(403);
  });
});
