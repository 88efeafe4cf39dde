import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';

const evening = withEvent();
const { app, admin, event } = evening;
const staff = withStaff(evening);

const record = async (fields: object = {}) =>
  (
    await staff
      .post('/donations', {
        amount: 1000,
        type: 'cash',
        donorName: 'Ada',
        donorEmail: 'ada@example.org',
        ...fields,
      })
      .expect(201)
  ).body as DonationBody;
const topics = async (id: string) =>
  (
    await sql<{ topic: string }>(app, 'SELECT topic FROM outbox WHERE donation_id = $1 ORDER BY id', [id])
  ).map(({ topic }) => topic);
const agree = async () => {
  expect(await keptTotals(app)).toEqual(await recount(app));
};

describe('PATCH /donations/:id', () => {
  it('changes the donor name, e-mail, message and anonymity of a donation, and the wall gets the change', async () => {
    const before = await record();
    const change = {
      donorName: 'Grace',
      donorEmail: 'grace@example.org',
      isAnonymous: true,
      message: 'Hello',
    };
    const { body } = await staff.patch(`/donations/${before.id}`, change).expect(200);
    expect(body).toEqual({ ...before, ...change, updatedAt: expect.any(String) });
    expect(await topics(before.id)).toEqual(['donation.created', 'donation.updated']);
    await agree();
  });

  it('a correction keeps fields that are not sent, and clears fields sent as null or blank', async () => {
    const { id } = await record({ message: 'Hi' });
    expect((await staff.patch(`/donations/${id}`, { donorName: 'Grace' }).expect(200)).body).toMatchObject({
      donorEmail: 'ada@example.org',
      message: 'Hi',
    });
    const { body } = await staff
      .patch(`/donations/${id}`, { donorEmail: '', message: null, donorName: ' ' })
      .expect(200);
    expect(body).toMatchObject({ donorName: null, donorEmail: null, message: null, isAnonymous: true });
    await agree();
  });

  it('a donation keeps its cheque number and note, and a correction changes both without an announcement', async () => {
    const before = await record({ type: 'check', reference: ' 004711 ', note: 'From the bar\nof the foyer' });
    expect(before).toMatchObject({ reference: '004711', note: 'From the bar\nof the foyer' });
    const { body } = await staff
      .patch(`/donations/${before.id}`, { reference: '004712', note: null })
      .expect(200);
    expect(body).toMatchObject({ reference: '004712' });
    expect(body).not.toHaveProperty('note');
    expect(await topics(before.id)).toEqual(['donation.created']);
    const [step] = await sql<{ fields: string[] }>(
      app,
      'SELECT fields FROM donation_history WHERE donation_id = $1 ORDER BY id DESC LIMIT 1',
      [before.id],
    );
    expect(step?.fields).toEqual(['reference', 'note']);
    const row = { amount: 1000, type: 'check' };
    await staff.post('/donations', { ...row, reference: 'x'.repeat(61) }).expect(400);
    await staff.post('/donations', { ...row, note: 'x'.repeat(501) }).expect(400);
  });

  it('a donation keeps the benefit for the donor, which is worth at most the donation and is not announced', async () => {
    const before = await record();
    const path = `/donations/${before.id}`;
    expect(before).not.toHaveProperty('benefitValue');
    const benefit = { benefitValue: 1000, benefitText: 'Dinner' };
    const { body } = await staff
      .patch(path, { ...benefit, expected: { benefitValue: null, benefitText: null } })
      .expect(200);
    expect(body).toMatchObject(benefit);
    const [step] = await sql<{ fields: string[] }>(
      app,
      'SELECT fields FROM donation_history WHERE donation_id = $1 ORDER BY id DESC LIMIT 1',
      [before.id],
    );
    expect(step?.fields).toEqual(['benefitValue', 'benefitText']);
    expect(await topics(before.id)).toEqual(['donation.created']);
    expect((await staff.patch(path, { benefitValue: 1001 }).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'BENEFIT_ABOVE_AMOUNT'),
    );
    for (const wrong of [{ benefitValue: -1 }, { benefitValue: 1.5 }, { benefitText: 'x'.repeat(201) }])
      await staff.patch(path, wrong).expect(400);
    await staff.patch(path, { benefitValue: 0, expected: { benefitValue: 900 } }).expect(409);
    const { body: after } = await staff.patch(path, { benefitValue: null, benefitText: '' }).expect(200);
    expect(after).not.toHaveProperty('benefitValue');
    expect(after).not.toHaveProperty('benefitText');
    await agree();
  });

  it('a correction accepts the whole donation object', async () => {
    const before = await record();
    const { body } = await staff
      .patch(`/donations/${before.id}`, { ...before, donorName: 'Grace' })
      .expect(200);
    expect(body).toMatchObject({ donorName: 'Grace', amount: before.amount });
  });

  it.each([
    ['amount', 1],
    ['status', 'REFUNDED'],
    ['type', 'check'],
    ['currency', 'usd'],
    ['eventId', newId()],
    ['staffName', 'Somebody'],
    ['refundedAmount', 5],
    ['receiptNumber', '2026-000001'],
    ['completedAt', '2020-01-01T00:00:00.000Z'],
  ])('a correction refuses a changed %s', async (field, value) => {
    const { id } = await record();
    expect((await staff.patch(`/donations/${id}`, { [field]: value }).expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'READ_ONLY_FIELD'),
    );
  });

  it('a correction refuses unknown fields and wrong types', async () => {
    const { id } = await record();
    for (const fields of [{ nickname: 'A' }, { donorEmail: 'x' }, { isAnonymous: 1 }, { message: ['a'] }])
      await staff.patch(`/donations/${id}`, fields).expect(400);
    await staff.patch(`/donations/${id}`, []).expect(400);
  });

  it("a correction answers 404 for a colleague's donation, for another event's staff and for an invalid id", async () => {
    const { id } = await record();
    const colleague = await createStaff(app, admin.token, event.id, 'Alan');
    await as(app, colleague.token).patch(`/donations/${id}`, { message: 'x' }).expect(404);
    for (const unknown of [newId(), 'not-an-id', '%00', "' OR 1=1"])
      await admin.patch(`/donations/${encodeURIComponent(unknown)}`, { message: 'x' }).expect(404);
    await app.http.patch(`/donations/${id}`).send({ message: 'x' }).expect(401);
  });

  it('the history names corrected fields, actor and time, but no values', async () => {
    const { id } = await record();
    await admin.get(`/export/receipts/${id}`).expect(200);
    await admin.patch(`/donations/${id}`, { donorName: 'Grace', donorEmail: 'g@example.org' }).expect(200);
    const { body } = await admin.get(`/donations/${id}/history`).expect(200);
    expect(body).toMatchObject([
      { from: null, to: 'COMPLETED' },
      { from: 'COMPLETED', to: 'COMPLETED', actor: 'admin', fields: ['donorName', 'donorEmail'] },
    ]);
    const audit = await sql<{ actor_kind: string; detail: object }>(
      app,
      "SELECT actor_kind, detail FROM audit_entry WHERE subject_id = $1 AND action = 'donation.correct'",
      [id],
    );
    expect(audit).toEqual([
      {
        actor_kind: 'admin',
        detail: {
          fields: ['donorName', 'donorEmail'],
          receiptNumber: expect.stringMatching(/^\d{4}-\d{6}$/),
        },
      },
    ]);
    expect(JSON.stringify([body, audit])).not.toMatch(/Grace|example\.org/);
  });

  it('records no history for a correction that changes nothing', async () => {
    const before = await record({ message: 'Hi' });
    const { body } = await staff
      .patch(`/donations/${before.id}`, { ...before, donorName: ' Ada ' })
      .expect(200);
    expect(body).toEqual(before);
    expect((await admin.get(`/donations/${before.id}/history`).expect(200)).body).toHaveLength(1);
    expect(await topics(before.id)).toEqual(['donation.created']);
    expect(await sql(app, 'SELECT 1 FROM audit_entry WHERE subject_id = $1', [before.id])).toEqual([]);
  });

  it('a corrected e-mail address moves the donation to another donor in the totals', async () => {
    const gala = await createEvent(app, admin.token);
    const helper = await createStaff(app, admin.token, gala.id, 'Eve');
    const give = async (donorEmail: string) =>
      (
        await as(app, helper.token)
          .post('/donations', { amount: 10, type: 'cash', donorName: 'D', donorEmail })
          .expect(201)
      ).body as DonationBody;
    const first = await give('a@example.org');
    await give('a@example.org');
    const donors = async () => {
      const { body } = await app.http.get('/events/public').expect(200);
      return (body as { slug: string; donorCount: number }[]).find(({ slug }) => slug === gala.slug)
        ?.donorCount;
    };
    expect(await donors()).toBe(1);
    await admin.patch(`/donations/${first.id}`, { donorEmail: 'b@example.org' }).expect(200);
    expect(await donors()).toBe(2);
    await admin.patch(`/donations/${first.id}`, { donorEmail: 'A@EXAMPLE.org' }).expect(200);
    expect(await donors()).toBe(1);
    await agree();
  });
});

describe('POST /donations/:id/cancel on offline donations', () => {
  it('refunds an offline donation completely as a book entry', async () => {
    const { id } = await record();
    const { body } = await admin
      .post(`/donations/${id}/cancel`, { shouldRefund: true, reason: 'Wrong table' })
      .expect(200);
    expect(body).toMatchObject({ id, status: 'REFUNDED', refundedAmount: 1000, refund: null });
    expect(await topics(id)).toEqual(['donation.created', 'donation.retracted']);
    const { body: history } = await admin.get(`/donations/${id}/history`).expect(200);
    expect(history).toMatchObject([
      { to: 'COMPLETED' },
      { from: 'COMPLETED', to: 'REFUNDED', actor: 'admin', reason: 'Wrong table' },
    ]);
    await agree();
  });

  it('refunds an offline donation in parts until nothing is left', async () => {
    const { id } = await record();
    const giveBack = (amount: number) =>
      admin.post(`/donations/${id}/cancel`, { shouldRefund: true, amount }).set('Idempotency-Key', newId());
    const part = await giveBack(400).expect(200);
    expect(part.body).toMatchObject({ status: 'COMPLETED', refundedAmount: 400 });
    await giveBack(601).expect(409);
    await agree();
    const rest = await giveBack(600).expect(200);
    expect(rest.body).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
    await agree();
  });

  it('a cancellation without a refund corrects the totals', async () => {
    const { id } = await record();
    const { body } = await admin.post(`/donations/${id}/cancel`, { shouldRefund: false }).expect(200);
    expect(body).toMatchObject({ status: 'CANCELLED', refundedAmount: 0, refund: null });
    await agree();
  });

  it.each([true, false])('a second cancellation answers 409 (shouldRefund: %s)', async (shouldRefund) => {
    const { id } = await record();
    await admin.post(`/donations/${id}/cancel`, { shouldRefund }).expect(200);
    for (const again of [true, false])
      expect((await admin.post(`/donations/${id}/cancel`, { shouldRefund: again }).expect(409)).body).toEqual(
        errorBody(409, 'Conflict', shouldRefund ? 'DONATION_REFUNDED' : 'DONATION_CANCELLED'),
      );
  });

  it('cancels an open pledge with either value of shouldRefund', async () => {
    for (const shouldRefund of [true, false]) {
      const { id } = await record({ type: 'pledge' });
      expect((await admin.post(`/donations/${id}/cancel`, { shouldRefund }).expect(200)).body).toMatchObject({
        status: 'CANCELLED',
      });
      await staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(409);
    }
  });

  it.each([
    ['a missing shouldRefund', {}],
    ['"false" as text for shouldRefund', { shouldRefund: 'false' }],
    ['a zero amount', { shouldRefund: true, amount: 0 }],
    ['an amount without a refund', { shouldRefund: false, amount: 5 }],
    ['an unknown field', { shouldRefund: true, force: true }],
  ])('a cancellation refuses %s', async (_, fields) => {
    const { id } = await record();
    await admin.post(`/donations/${id}/cancel`, fields).expect(400);
  });

  it('allows only admins to cancel a donation', async () => {
    const { id } = await record();
    expect((await staff.post(`/donations/${id}/cancel`, { shouldRefund: true }).expect(403)).body).toEqual(
      errorBody(403, 'Forbidden', 'FORBIDDEN'),
    );
    await app.http.post(`/donations/${id}/cancel`).send({ shouldRefund: true }).expect(401);
    await admin.post(`/donations/${newId()}/cancel`, { shouldRefund: true }).expect(404);
  });

  it('many simultaneous clicks cancel a donation once', async () => {
    const { id } = await record();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        admin.post(`/donations/${id}/cancel`, { shouldRefund: i % 2 === 0 }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    await agree();
  });
});

describe('GET /donations/:id/history and /review-items', () => {
  it('only admins may read the history of a donation and the review items', async () => {
    const { id } = await record();
    await staff.get(`/donations/${id}/history`).expect(403);
    await staff.get('/review-items').expect(403);
    await admin.get(`/donations/${newId()}/history`).expect(404);
    expect((await admin.get('/review-items').expect(200)).body).toEqual([]);
    await admin.post(`/review-items/${newId()}/resolve`).expect(404);
  });
});
