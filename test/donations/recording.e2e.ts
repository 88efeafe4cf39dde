import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type Caller, type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';

const evening = withEvent();
const { app, admin, event } = evening;
const staff = withStaff(evening);
let other: EventFixture;

beforeAll(async () => {
  other = await createEvent(app, admin.token, { currency: 'jpy' });
});

const donation = { amount: 2500, type: 'cash', donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' };
const recorded = async (caller: Caller, fields: object = {}) =>
  (await caller.post('/donations', { ...donation, ...fields }).expect(201)).body as DonationBody;

describe('POST /donations', () => {
  it('records an offline donation as COMPLETED, with every field', async () => {
    const body = await recorded(staff, { eventId: event.id, isAnonymous: true, message: 'For the roof' });
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventId: event.id,
      amount: 2500,
      currency: 'eur',
      type: 'cash',
      status: 'COMPLETED',
      donorName: 'Ada Lovelace',
      donorEmail: 'ada@example.org',
      isAnonymous: true,
      message: 'For the roof',
      staffId: staff.id,
      staffName: staff.name,
      refundedAmount: 0,
      receiptNumber: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updatedAt: body.createdAt,
      completedAt: body.createdAt,
      recordedAt: body.createdAt,
      terminalId: null,
      paddle: null,
      roundId: null,
      paidBy: null,
    });
  });

  it.each(['cash', 'check', 'card_terminal', 'bank_transfer', 'other'])(
    'accepts the donation type %s',
    async (type) => {
      expect(await recorded(staff, { type })).toMatchObject({ type, status: 'COMPLETED' });
    },
  );

  it('keeps a pledge PENDING and outside all totals', async () => {
    const before = await keptTotals(app);
    expect(await recorded(staff, { type: 'pledge' })).toMatchObject({ status: 'PENDING', completedAt: null });
    expect(await keptTotals(app)).toEqual(before);
  });

  it.each([
    ['an unknown type', { type: 'bitcoin' }],
    ['an online type', { type: 'card' }],
    ['a missing type', { type: undefined }],
    ['a missing amount', { amount: undefined }],
    ['a zero amount', { amount: 0 }],
    ['a negative amount', { amount: -5 }],
    ['a fractional amount', { amount: 12.5 }],
    ['an amount as text', { amount: '2500' }],
    ['an amount above 10^12', { amount: 1_000_000_000_001 }],
    ['an invalid e-mail address', { donorEmail: 'ada' }],
    ['an object as name', { donorName: { not: '' } }],
    ['a list as name', { donorName: ['Ada'] }],
    ['a NUL in the name', { donorName: 'A\u0000da' }],
    ['half a surrogate pair in the name', { donorName: 'Ada \ud800' }],
    ['a name with a direction override', { donorName: 'Ada \u202Egnp.exe' }],
    ['a very long name', { donorName: 'x'.repeat(201) }],
    ['a very long message', { message: 'x'.repeat(501) }],
    ['"false" as text for a flag', { isAnonymous: 'false' }],
    ['an unknown field', { status: 'COMPLETED' }],
    ['null as a flag', { isAnonymous: null }],
  ])('recording a donation answers 400 to %s', async (_, fields) => {
    const { body } = await staff.post('/donations', { ...donation, ...fields }).expect(400);
    expect(body).toEqual(errorBody(400, 'Bad Request', 'VALIDATION_FAILED'));
  });

  it('blank text counts as absent, and a donation without a name is anonymous', async () => {
    expect(await recorded(staff, { donorName: '  ', donorEmail: '', message: null })).toMatchObject({
      donorName: null,
      donorEmail: null,
      message: null,
      isAnonymous: true,
    });
  });

  it('normalizes donor names to NFC and keeps emoji unchanged', async () => {
    expect(await recorded(staff, { donorName: 'Zoe\u0308 👩‍👩‍👧' })).toMatchObject({ donorName: 'Zo\u00eb 👩‍👩‍👧' });
  });

  it('a donation belongs to the event of the token by default, and may name its slug', async () => {
    expect(await recorded(staff, { eventId: undefined })).toMatchObject({ eventId: event.id });
    expect(await recorded(staff, { eventId: event.slug })).toMatchObject({ eventId: event.id });
  });

  it('staff who record for another event get 404', async () => {
    for (const eventId of [other.id, other.slug, newId(), 'no-such-event'])
      expect((await staff.post('/donations', { ...donation, eventId }).expect(404)).body).toEqual(
        errorBody(404, 'Not Found', 'EVENT_NOT_FOUND'),
      );
  });

  it('admins can record for any event, in its currency', async () => {
    expect(await recorded(admin, { eventId: other.slug })).toMatchObject({
      eventId: other.id,
      currency: 'jpy',
      staffId: null,
      staffName: null,
    });
    await admin.post('/donations', donation).expect(400);
    await admin.post('/donations', { ...donation, eventId: newId() }).expect(404);
  });

  it('accepts late cash for paused and closed events, but not for draft or archived ones', async () => {
    const late = await createEvent(app, admin.token);
    const move = (status: string) => admin.patch(`/events/${late.id}`, { status }).expect(200);
    for (const status of ['paused', 'closed']) {
      await move(status);
      await recorded(admin, { eventId: late.id });
    }
    await move('archived');
    expect((await admin.post('/donations', { ...donation, eventId: late.id }).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'EVENT_TAKES_NO_DONATIONS'),
    );
    const draft = await createEvent(app, admin.token, { status: 'draft' });
    await admin.post('/donations', { ...donation, eventId: draft.id }).expect(409);
  });

  it('refuses a donation without a token', async () => {
    expect((await app.http.post('/donations').send(donation).expect(401)).body).toEqual(
      errorBody(401, 'Unauthorized', 'UNAUTHORIZED'),
    );
  });

  it('writes the history and one wall message for each donation', async () => {
    const { id } = await recorded(staff);
    const { body } = await admin.get(`/donations/${id}/history`).expect(200);
    expect(body).toEqual([
      {
        from: null,
        to: 'COMPLETED',
        actor: 'staff',
        actorId: staff.id,
        reason: null,
        at: expect.any(String),
      },
    ]);
    expect(await sql(app, 'SELECT topic FROM outbox WHERE donation_id = $1', [id])).toEqual([
      { topic: 'donation.created' },
    ]);
  });

  it('counts a donor once for every spelling of the address, and each donation without an address as one donor', async () => {
    const gala = await createEvent(app, admin.token);
    for (const donorEmail of ['Grace@Example.org', 'grace@example.ORG', '', 'alan@example.org', null])
      await recorded(admin, { eventId: gala.id, amount: 100, donorEmail });
    const { body } = await app.http.get('/events/public').expect(200);
    expect(body).toContainEqual(
      expect.objectContaining({ slug: gala.slug, totalRaised: 500, donorCount: 4 }),
    );
  });

  it('books hundreds of simultaneous donations completely, and the totals equal a recount', async () => {
    const all = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        recorded(staff, { amount: i + 1, donorEmail: `donor-${i % 40}@example.org` }),
      ),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(300);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});

describe('Idempotency-Key on POST /donations', () => {
  const send = (caller: Caller, key: string, fields: object = {}) =>
    caller.post('/donations', { ...donation, ...fields }).set('Idempotency-Key', key);

  it('a repeated key returns the first answer again, even after the donation was changed', async () => {
    const key = newId();
    const first = await send(staff, key).expect(201);
    await staff
      .patch(`/donations/${(first.body as DonationBody).id}`, { donorName: 'Somebody Else' })
      .expect(200);
    expect((await send(staff, key).expect(201)).body).toEqual(first.body);
  });

  it('fifty simultaneous requests with one key record one donation', async () => {
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(staff, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => (body as DonationBody).id)).size).toBe(1);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('a used key with another body is refused', async () => {
    const key = newId();
    await send(staff, key).expect(201);
    expect((await send(staff, key, { amount: 1 }).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'IDEMPOTENCY_KEY_REUSED'),
    );
  });

  it('a key belongs to one staff member, also after a new sign-in', async () => {
    const key = newId();
    const first = await send(staff, key).expect(201);
    const { body } = await app.http
      .post('/auth/staff/login')
      .send({ code: staff.code, eventId: event.id })
      .expect(200);
    expect(
      (await send(as(app, (body as { accessToken: string }).accessToken), key).expect(201)).body,
    ).toEqual(first.body);
    const colleague = await createStaff(app, admin.token, event.id, 'Alan');
    const theirs = await send(as(app, colleague.token), key).expect(201);
    expect((theirs.body as DonationBody).id).not.toBe((first.body as DonationBody).id);
  });

  it('a refused request does not use up its key', async () => {
    const key = newId();
    await send(staff, key, { amount: 0 }).expect(400);
    await send(staff, key).expect(201);
  });

  it.each([
    ['too long', 'k'.repeat(256)],
    ['blank', '   '],
  ])('an Idempotency-Key that is %s is refused', async (_, key) => {
    expect((await send(staff, key).expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'IDEMPOTENCY_KEY_INVALID'),
    );
  });
});

describe('an unusually large amount on POST /donations', () => {
  const limit = (ref: string, rules: object) =>
    admin.patch(`/events/${ref}/settings`, { donation: rules }).expect(200);
  let large: EventFixture;
  const record = (fields: object, key = newId()) =>
    admin.post('/donations', { ...donation, eventId: large.id, ...fields }).set('Idempotency-Key', key);

  beforeEach(async () => {
    large = await createEvent(app, admin.token);
  });
  afterAll(async () => {
    await admin.patch('/settings/global', { donation: null }).expect(200);
  });

  it('an amount above donation.maxOfflineAmount is refused and not booked', async () => {
    await limit(large.id, { maxOfflineAmount: 5000 });
    await record({ amount: 5000 }).expect(201);
    for (const fields of [
      { amount: 5001 },
      { amount: 5001, confirmed: true },
      { amount: 5001, type: 'pledge' },
    ])
      expect((await record(fields).expect(400)).body).toMatchObject({
        code: 'AMOUNT_TOO_LARGE',
        message: 'amount must be at most 5000',
      });
    const rows = await sql(app, 'SELECT amount FROM donation WHERE event_id = $1', [large.id]);
    expect(rows).toEqual([{ amount: '5000' }]);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('an amount above donation.confirmOfflineAbove needs a confirmation', async () => {
    await limit(large.id, { confirmOfflineAbove: 1000 });
    const key = newId();
    await record({ amount: 1000 }).expect(201);
    expect((await record({ amount: 1001 }, key).expect(409)).body).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    });
    await record({ amount: 1001, confirmed: false }, key).expect(409);
    const { body } = await record({ amount: 1001, confirmed: true }, key).expect(201);
    expect(body).toMatchObject({ amount: 1001, status: 'COMPLETED' });
    expect(body).not.toHaveProperty('confirmed');
    await record({ amount: 1001, confirmed: 'true' }).expect(400);
  });

  it('the event settings for large amounts take precedence over the global settings', async () => {
    await admin.patch('/settings/global', { donation: { maxOfflineAmount: 300 } }).expect(200);
    await record({ amount: 301 }).expect(400);
    await limit(large.id, { maxOfflineAmount: 400 });
    await record({ amount: 400 }).expect(201);
    await record({ amount: 401 }).expect(400);
    await admin.patch('/settings/global', { donation: null }).expect(200);
  });

  it('a repeated donation keeps its first answer after the limit was lowered', async () => {
    const key = newId();
    const { body } = await record({ amount: 9000 }, key).expect(201);
    await limit(large.id, { maxOfflineAmount: 5000, confirmOfflineAbove: 100 });
    expect((await record({ amount: 9000 }, key).expect(201)).body).toEqual(body);
    await record({ amount: 9001 }, key).expect(409);
    await record({ amount: 9000 }).expect(400);
  });

  it('a refused large amount stops no other donation of the same batch', async () => {
    await limit(large.id, { maxOfflineAmount: 5000 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => record({ amount: index % 2 === 0 ? 5000 : 5001 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(20);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});

describe('POST /donations/:id/fulfil', () => {
  it('a pledge is fulfilled once, with the type of money received', async () => {
    const { id } = await recorded(staff, { type: 'pledge', donorEmail: 'pledger@example.org' });
    const fulfilled = (await staff.post(`/donations/${id}/fulfil`, { type: 'bank_transfer' }).expect(200))
      .body as DonationBody;
    expect(fulfilled).toMatchObject({
      id,
      status: 'COMPLETED',
      type: 'bank_transfer',
      completedAt: expect.any(String),
    });
    await staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(409);
    expect(await keptTotals(app)).toEqual(await recount(app));
    expect(await sql(app, 'SELECT topic FROM outbox WHERE donation_id = $1', [id])).toEqual([
      { topic: 'donation.created' },
    ]);
  });

  it('fulfilling refuses a pledge or online type as payment, and donations that are not pledges', async () => {
    const { id } = await recorded(staff, { type: 'pledge' });
    for (const type of ['pledge', 'card', 'wallet'])
      await staff.post(`/donations/${id}/fulfil`, { type }).expect(400);
    await staff.post(`/donations/${(await recorded(staff)).id}/fulfil`, { type: 'cash' }).expect(409);
  });

  it('only the admin and the staff member who recorded the pledge may fulfil it', async () => {
    const { id } = await recorded(staff, { type: 'pledge' });
    const colleague = await createStaff(app, admin.token, event.id, 'Alan');
    await as(app, colleague.token).post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(404);
    await admin.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
  });
});
