import { describe, expect, it } from '@jest/globals';
import { as, type Caller, type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { insertDonation } from '../support/donation-rows.js';
import { createStaff, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });

const record = async (caller: Caller, fields: object = {}) => {
  const sent = { amount: 2500, type: 'cash', donorName: 'Ada Lovelace', ...fields };
  return (await caller.post('/donations', sent).expect(201)).body as DonationBody;
};
const undo = (caller: Caller, id: string) => caller.post(`/donations/${id}/undo`);
const age = (id: string, minutes: number) =>
  sql(
    app,
    `UPDATE donation SET created_at = created_at - make_interval(mins => $2),
       completed_at = completed_at - make_interval(mins => $2) WHERE id = $1`,
    [id, minutes],
  );
const conflict = (code: string) => errorBody(409, 'Conflict', code);
const historyOf = async (id: string) =>
  (await admin.get(`/donations/${id}/history`).expect(200)).body as object[];

describe('undo by staff', () => {
  it('staff undo their own record: it is cancelled, leaves totals and walls, and keeps its history', async () => {
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    const { id } = await record(staff);
    const { body } = await undo(staff, id).expect(200);
    expect(body).toMatchObject({ id, status: 'CANCELLED', amount: 2500 });
    expect(await historyOf(id)).toMatchObject([
      { to: 'COMPLETED', reason: null },
      { from: 'COMPLETED', to: 'CANCELLED', actor: 'staff', reason: 'undone' },
    ]);
    expect(
      await sql(
        app,
        "SELECT actor_kind FROM audit_entry WHERE action = 'donation.undo' AND subject_id = $1",
        [id],
      ),
    ).toEqual([{ actor_kind: 'staff' }]);
    const totals = (await app.http.get(`/events/${event.slug}`).expect(200)).body as { totalRaised: number };
    expect(totals.totalRaised).toBe(0);
    expect(await keptTotals(app)).toEqual(await recount(app));
    await wall.until(({ donations }) => donations.some(({ topic }) => topic === 'donation.retracted'));
    wall.close();
  });

  it('ten simultaneous undo requests undo a donation once', async () => {
    const { id } = await record(staff);
    const answers = await Promise.all(Array.from({ length: 10 }, () => undo(staff, id)));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: 'CANCELLED' });
    }
    expect(await historyOf(id)).toHaveLength(2);
    await age(id, 60);
    await undo(staff, id).expect(200);
  });

  it('an undone pledge cannot be fulfilled', async () => {
    const { id } = await record(staff, { type: 'pledge' });
    expect((await undo(staff, id).expect(200)).body).toMatchObject({ status: 'CANCELLED', type: 'pledge' });
    await staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(409);
  });

  it('a pledge is either undone or fulfilled, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await record(staff, { type: 'pledge' });
      const [undone, paid] = await Promise.all([
        undo(staff, id),
        staff.post(`/donations/${id}/fulfil`, { type: 'cash' }),
      ]);
      expect([undone.status, paid.status].sort()).toEqual([200, 409]);
    }
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('staff may undo during undoMinutes, and the setting of the event precedes the global one', async () => {
    const [fresh, late] = [await record(staff), await record(staff)];
    await age(fresh.id, 9);
    await age(late.id, 11);
    await undo(staff, fresh.id).expect(200);
    expect((await undo(staff, late.id).expect(409)).body).toEqual(conflict('UNDO_TOO_LATE'));
    await admin.patch(`/events/${event.id}/settings`, { donation: { undoMinutes: 60 } }).expect(200);
    await undo(staff, late.id).expect(200);
    await admin.patch(`/events/${event.id}/settings`, { donation: { undoMinutes: 0 } }).expect(200);
    expect((await undo(staff, (await record(staff)).id).expect(409)).body).toEqual(conflict('UNDO_TOO_LATE'));
  });

  it('only an admin may undo a donation with a receipt, and the receipt becomes void', async () => {
    const { id } = await record(staff);
    await staff.get(`/export/receipts/${id}`).expect(200);
    expect((await undo(staff, id).expect(409)).body).toEqual(conflict('UNDO_SETTLED'));
    expect((await undo(admin, id).expect(200)).body).toMatchObject({
      status: 'CANCELLED',
      receiptNumber: expect.any(String),
    });
    await admin.get(`/export/receipts/${id}`).expect(200);
  });

  it('a fulfilled pledge cannot be undone', async () => {
    const { id } = await record(staff, { type: 'pledge' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
    expect((await undo(staff, id).expect(409)).body).toEqual(conflict('UNDO_SETTLED'));
    expect((await undo(admin, id).expect(409)).body).toEqual(conflict('UNDO_SETTLED'));
  });

  it('staff get 404 for records of others', async () => {
    const colleague = as(app, (await createStaff(app, admin.token, event.id)).token);
    const { id } = await record(colleague);
    expect((await undo(staff, id).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'DONATION_NOT_FOUND'),
    );
    await undo(staff, 'garbage').expect(404);
  });
});

describe('undo by admins', () => {
  it('an admin undoes any offline record, however old', async () => {
    const { id } = await record(staff);
    await age(id, 60 * 24 * 30);
    await undo(admin, id).expect(200);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('an admin cannot undo online, partly refunded, refunded or otherwise cancelled donations', async () => {
    const card = await insertDonation(app, event.id, { type: 'card', status: 'PENDING' });
    expect((await undo(admin, card).expect(409)).body).toEqual(conflict('UNDO_ONLINE'));
    const part = await record(staff);
    await admin
      .post(`/donations/${part.id}/cancel`, { shouldRefund: true, amount: 500 })
      .set('Idempotency-Key', part.id)
      .expect(200);
    expect((await undo(admin, part.id).expect(409)).body).toEqual(conflict('UNDO_SETTLED'));
    const whole = await record(staff);
    await admin.post(`/donations/${whole.id}/cancel`, { shouldRefund: true }).expect(200);
    expect((await undo(admin, whole.id).expect(409)).body).toEqual(conflict('UNDO_SETTLED'));
    const corrected = await record(staff);
    await admin.post(`/donations/${corrected.id}/cancel`, { shouldRefund: false }).expect(200);
    expect((await undo(admin, corrected.id).expect(409)).body).toEqual(conflict('UNDO_SETTLED'));
  });

  it('a simultaneous undo and cancel change the donation once', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await record(staff);
      const [undone, cancelled] = await Promise.all([
        undo(staff, id),
        admin.post(`/donations/${id}/cancel`, { shouldRefund: true }),
      ]);
      expect([undone.status, cancelled.status].sort()).toEqual([200, 409]);
      expect(await historyOf(id)).toHaveLength(2);
    }
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});
