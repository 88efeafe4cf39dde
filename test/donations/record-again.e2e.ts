import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type Caller, type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';

/** A terminal sends the same queue a second time: later, after changes, with another session, or for another event. */

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let event: EventFixture;
let other: EventFixture;
let staff: Caller;

beforeEach(async () => {
  [event, other] = [await createEvent(app, admin.token), await createEvent(app, admin.token)];
  staff = await member(event);
});

const member = async ({ id }: EventFixture, name = 'Maria Lopez') =>
  as(app, (await createStaff(app, admin.token, id, name)).token);

const donation = { amount: 2500, type: 'cash', donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' };
const send = (caller: Caller, key: string, fields: object = {}) =>
  caller.post('/donations', { ...donation, ...fields }).set('Idempotency-Key', key);
const rows = () =>
  sql<{ staff_name: string | null }>(app, 'SELECT staff_name FROM donation WHERE event_id = $1', [event.id]);
const reused = errorBody(409, 'Conflict', 'IDEMPOTENCY_KEY_REUSED');

/** Both kinds of keys: a random UUID of the terminal, and a text that a person chose. */
const KEYS: readonly [string, () => string][] = [
  ['a random UUID', randomUUID],
  ['another key', () => `shift-${newId()}`],
];

describe.each(KEYS)('a donation sent again under %s', (_, newKey) => {
  it('a repeated donation gets the first answer although its event was archived', async () => {
    const key = newKey();
    const { body } = await send(staff, key).expect(201);
    const byAdmin = newKey();
    const { body: admins } = await send(admin, byAdmin, { eventId: event.slug }).expect(201);
    await admin.patch(`/events/${event.id}`, { status: 'archived' }).expect(200);
    expect((await send(staff, key).expect(201)).body).toEqual(body);
    expect((await send(admin, byAdmin, { eventId: event.slug }).expect(201)).body).toEqual(admins);
    expect((await send(staff, key, { amount: 1 }).expect(409)).body).toEqual(reused);
    expect((await send(staff, newKey()).expect(409)).body).toMatchObject({
      code: 'EVENT_TAKES_NO_DONATIONS',
    });
    expect(await rows()).toHaveLength(2);
  });

  it('a repeated donation gets the first answer although its amount is now refused or needs confirmation', async () => {
    const [large, asked] = [newKey(), newKey()];
    const { body: first } = await send(staff, large, { amount: 9000 }).expect(201);
    const { body: second } = await send(staff, asked).expect(201);
    const rules = { maxOfflineAmount: 5000, confirmOfflineAbove: 100 };
    await admin.patch(`/events/${event.id}/settings`, { donation: rules }).expect(200);
    expect((await send(staff, large, { amount: 9000 }).expect(201)).body).toEqual(first);
    expect((await send(staff, asked).expect(201)).body).toEqual(second);
  });

  it('a repeated donation gets the first answer although its event has a new slug', async () => {
    const key = newKey();
    const { body } = await send(admin, key, { eventId: event.slug }).expect(201);
    await admin.patch(`/events/${event.id}`, { slug: `renamed-${newId()}` }).expect(200);
    expect((await send(admin, key, { eventId: event.slug }).expect(201)).body).toEqual(body);
    await send(admin, newKey(), { eventId: event.slug }).expect(404);
  });

  it('the same key for a donation at another event answers 409', async () => {
    const key = newKey();
    const { id, code } = await createStaff(app, admin.token, event.id);
    await admin.post(`/events/${other.id}/staff/${id}`).expect(201);
    const signIn = async (eventId: string) => {
      const { body } = await app.http.post('/auth/staff/login').send({ code, eventId }).expect(200);
      return as(app, (body as { accessToken: string }).accessToken);
    };
    // The body contains no event id, so the service uses the event of the sign-in.
    const first = await send(await signIn(event.id), key).expect(201);
    const elsewhere = await signIn(other.id);
    expect((await send(elsewhere, key).expect(409)).body).toEqual(reused);
    expect((await send(await signIn(event.id), key).expect(201)).body).toEqual(first.body);
    // A caller without access to the event of the record does not get the first answer.
    const named = newKey();
    await send(await signIn(event.id), named, { eventId: event.id }).expect(201);
    expect((await send(elsewhere, named, { eventId: event.id }).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'EVENT_NOT_FOUND'),
    );
  });
});

describe('a random UUID as Idempotency-Key of a donation', () => {
  it('a donation repeated by the next member at the terminal keeps its first staff member', async () => {
    const next = await member(event, 'Alan Turing');
    const keys = [randomUUID(), randomUUID().toUpperCase()];
    for (const key of keys) {
      const { body } = await send(staff, key).expect(201);
      expect((await send(next, key).expect(201)).body).toEqual(body);
      expect((await send(admin, key).expect(201)).body).toEqual(body);
    }
    expect(await rows()).toEqual(keys.map(() => ({ staff_name: 'Maria Lopez' })));
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('a UUID key sent by many sessions at once gives one donation', async () => {
    const next = await member(event, 'Alan Turing');
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, nth) => send(nth % 2 === 0 ? staff : next, key)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(await rows()).toHaveLength(1);
  });

  it('a used UUID key answers 409 to another body and to staff of another event', async () => {
    const key = randomUUID();
    const { body } = await send(staff, key).expect(201);
    const next = await member(event, 'Alan Turing');
    expect((await send(next, key, { amount: 2501 }).expect(409)).body).toEqual(reused);
    const stranger = await member(other, 'Eve');
    for (const fields of [{}, { eventId: other.id }, { amount: 1 }]) {
      const answer = await send(stranger, key, fields).expect(409);
      expect(answer.body).toEqual(reused);
      expect(JSON.stringify(answer.body)).not.toContain((body as DonationBody).id);
    }
    const named = randomUUID();
    await send(staff, named, { eventId: event.id }).expect(201);
    await send(stranger, named, { eventId: event.id }).expect(404);
  });
});

describe('any other Idempotency-Key of a donation', () => {
  it('a key that is not a UUID belongs to the staff member who sent it', async () => {
    const next = await member(event, 'Alan Turing');
    const first = await send(staff, 'table 4').expect(201);
    const second = await send(next, 'table 4').expect(201);
    expect((second.body as DonationBody).id).not.toBe((first.body as DonationBody).id);
  });
});

describe('a repeated intent', () => {
  it('a repeated intent gets the first answer although its event is closed for donations', async () => {
    const sent = { amount: 900, metadata: { eventId: event.slug } };
    const ask = (key: string) => app.http.post('/donations/intent').set('Idempotency-Key', key).send(sent);
    const first = await ask('page-1').expect(201);
    for (const status of ['paused', 'archived']) {
      await admin.patch(`/events/${event.id}`, { status }).expect(200);
      expect((await ask('page-1').expect(201)).body).toEqual(first.body);
      await ask('page-2').expect(status === 'paused' ? 409 : 404);
    }
  });
});
