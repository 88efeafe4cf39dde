import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { GuestRetention } from '../../src/guests/guest-retention.js';
import { as, type Caller, type DonationBody, errorBody } from '../support/bearer.js';
import { createEvent, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { each: true });

interface GuestBody {
  id: string;
  name: string;
  email?: string | null;
  table: string | null;
  paddle: string | null;
  sharesPaddleWith: string | null;
  contestedPaddle: string | null;
  checkedInAt: string | null;
  checkedInBy: string | null;
}
interface ListBody {
  data: GuestBody[];
  cursor: string | null;
  asOf: string;
  total: number;
}

const staff = () => as(app, maria.token);
const add = async (fields: object, eventId = event.id) =>
  (await admin.post(`/events/${eventId}/guests`, { name: 'Mary Jones', ...fields }).expect(201))
    .body as GuestBody;
const list = async (query = '', caller: Caller = admin) =>
  (await caller.get(`/events/${event.id}/guests?${query}`).expect(200)).body as ListBody;
const names = ({ data }: ListBody) => data.map(({ name }) => name);

describe('GET /guests/:id/card', () => {
  it('is 503 if no payment provider of the server can save cards', async () => {
    const { id } = await add({ paddle: '117' });
    const { body } = await admin.get(`/guests/${id}/card`).expect(503);
    expect(body).toEqual(errorBody(503, 'Service Unavailable', 'PAYMENT_METHOD_OFF'));
  });
});

describe('POST /events/:id/guests', () => {
  it('adds a guest with all fields', async () => {
    const fields = {
      name: 'Mary Jones',
      email: 'Mary@Example.org',
      phone: '+44 20 7946 0018',
      table: '12',
      seat: '4',
      paddle: '117',
      party: 'Jones',
      note: 'Vegetarian',
      isVip: true,
      needsHelp: true,
    };
    const guest = await add(fields);
    expect(guest).toEqual({
      id: expect.any(String),
      eventId: event.id,
      ...fields,
      sharesPaddleWith: null,
      contestedPaddle: null,
      checkedInAt: null,
      checkedInBy: null,
      updatedAt: expect.any(String),
    });
    expect((await list()).data).toEqual([guest]);
  });

  it('refuses a wrong field by name and adds nothing', async () => {
    for (const wrong of [
      { name: '' },
      { name: null },
      { name: 'x'.repeat(201) },
      { email: 'no address' },
      { paddle: 'number 7' },
      { paddle: 7 },
      { note: 'x'.repeat(201) },
      { isVip: 'yes' },
      { sharesPaddleWith: 'Mary' },
      { colour: 'blue' },
    ]) {
      const answer = await admin.post(`/events/${event.id}/guests`, { name: 'Mary Jones', ...wrong });
      expect(answer.body).toEqual(errorBody(400, 'Bad Request', 'VALIDATION_FAILED'));
      expect((answer.body as { message: string }).message).toContain(Object.keys(wrong)[0] ?? '');
    }
    expect((await list()).total).toBe(0);
  });

  it('refuses the paddle of another guest of the event, but not of another event', async () => {
    const other = await createEvent(app, admin.token);
    await add({ paddle: '117' });
    await add({ paddle: '117' }, other.id);
    const answer = await admin.post(`/events/${event.id}/guests`, { name: 'Bob', paddle: '117' });
    expect(answer.body).toEqual(errorBody(409, 'Conflict', 'PADDLE_TAKEN'));
    expect((await list()).total).toBe(1);
  });

  it('a couple shares one paddle', async () => {
    const mary = await add({ paddle: '117' });
    const bob = await add({ name: 'Bob Jones', sharesPaddleWith: mary.id });
    expect(bob).toMatchObject({ paddle: '117', sharesPaddleWith: mary.id });
    const both = await admin.post(`/events/${event.id}/guests`, {
      name: 'Eve',
      paddle: '5',
      sharesPaddleWith: mary.id,
    });
    expect(both.body).toEqual(errorBody(400, 'Bad Request', 'VALIDATION_FAILED'));
    await admin.post(`/events/${event.id}/guests`, { name: 'Eve', sharesPaddleWith: newId() }).expect(404);
  });
});

describe('GET /events/:id/guests', () => {
  it('returns guests by name in pages, and finds them by name, table, paddle and e-mail address', async () => {
    await add({ name: 'Cesar Vallejo', table: '3' });
    await add({ name: 'Ada Lovelace', table: '12', paddle: '7', email: 'ada@example.org' });
    await add({ name: 'Bob Jones', table: '12' });
    const first = await list('limit=2');
    expect(names(first)).toEqual(['Ada Lovelace', 'Bob Jones']);
    expect(first.total).toBe(3);
    expect(names(await list(`limit=2&cursor=${String(first.cursor)}`))).toEqual(['Cesar Vallejo']);
    expect(names(await list('search=lovel'))).toEqual(['Ada Lovelace']);
    expect(names(await list('search=7'))).toEqual(['Ada Lovelace']);
    expect(names(await list('search=ada@'))).toEqual(['Ada Lovelace']);
    expect(names(await list('search=%25'))).toEqual([]);
    expect(names(await list('table=12'))).toEqual(['Ada Lovelace', 'Bob Jones']);
    expect((await admin.get(`/events/${event.id}/guests?cursor=${newId()}`)).body).toEqual(
      errorBody(400, 'Bad Request', 'CURSOR_INVALID'),
    );
  });

  it('returns the guests that changed since an earlier answer', async () => {
    const ada = await add({ name: 'Ada Lovelace' });
    await add({ name: 'Bob Jones' });
    await sql(app, "UPDATE guest SET updated_at = updated_at - interval '1 hour'");
    const { asOf } = await list();
    await admin.patch(`/guests/${ada.id}`, { table: '4' }).expect(200);
    expect(names(await list(`updatedFrom=${asOf}`))).toEqual(['Ada Lovelace']);
  });

  it('shows volunteers the guests of their event without e-mail address and phone', async () => {
    await add({ email: 'mary@example.org', phone: '123', table: '12', paddle: '117' });
    const { data } = await list('', staff());
    expect(data).toEqual([expect.objectContaining({ name: 'Mary Jones', table: '12', paddle: '117' })]);
    expect(Object.keys(data[0] ?? {})).not.toContain('email');
    expect(Object.keys(data[0] ?? {})).not.toContain('phone');
    expect((await list('search=mary@example.org', staff())).data).toEqual([]);
    const other = await createEvent(app, admin.token);
    const theirs = await add({ name: 'Guest of another event' }, other.id);
    await staff().get(`/events/${other.id}/guests`).expect(404);
    await staff().post(`/guests/${theirs.id}/check-in`, {}).expect(404);
    await staff().post(`/events/${event.id}/guests`, { name: 'Eve' }).expect(403);
  });
});

describe('PATCH and DELETE /guests/:id', () => {
  it('changes fields, empties them with null, and refuses an unexpected value', async () => {
    const { id } = await add({ table: '12', paddle: '117', email: 'mary@example.org' });
    const changed = await admin
      .patch(`/guests/${id}`, { table: '14', email: null, expected: { table: '12' } })
      .expect(200);
    expect(changed.body).toMatchObject({ table: '14', email: null, paddle: '117' });
    const refused = await admin.patch(`/guests/${id}`, { table: '15', expected: { table: '12' } });
    expect(refused.body).toMatchObject({ code: 'EDIT_CONFLICT', details: [{ field: 'table', value: '14' }] });
    await admin.patch(`/guests/${id}`, { name: null }).expect(400);
    await admin.patch(`/guests/${newId()}`, { name: 'Eve' }).expect(404);
    await admin.patch('/guests/garbage', { name: 'Eve' }).expect(404);
  });

  it('a deleted guest leaves the paddle to the guest who shared it', async () => {
    const mary = await add({ paddle: '117' });
    const bob = await add({ name: 'Bob Jones', sharesPaddleWith: mary.id });
    const { body } = await admin.delete(`/guests/${mary.id}`).expect(200);
    expect(body).toEqual({ id: mary.id, deleted: true });
    const { data } = await list();
    expect(data).toEqual([expect.objectContaining({ id: bob.id, paddle: '117', sharesPaddleWith: null })]);
    await admin.delete(`/guests/${mary.id}`).expect(404);
  });

  it('if the holder of a shared paddle joins another guest, all guests who share it move to the new holder', async () => {
    const mary = await add({ paddle: '117' });
    const bob = await add({ name: 'Bob Jones', sharesPaddleWith: mary.id });
    const eve = await add({ name: 'Eve', paddle: '9' });
    await admin.patch(`/guests/${mary.id}`, { sharesPaddleWith: eve.id }).expect(200);
    const { data } = await list();
    expect(data.map(({ name, paddle }) => [name, paddle])).toEqual([
      ['Bob Jones', '9'],
      ['Eve', '9'],
      ['Mary Jones', '9'],
    ]);
    expect(data.find(({ id }) => id === bob.id)?.sharesPaddleWith).toBe(eve.id);
    await admin.patch(`/guests/${eve.id}`, { sharesPaddleWith: eve.id }).expect(400);
  });
});

describe('a pledge by paddle', () => {
  const pledge = async (fields: object, caller = staff()) =>
    (
      await caller
        .post('/donations', { amount: 50_000, type: 'pledge', paddle: '117', ...fields })
        .expect(201)
    ).body as DonationBody;

  it('gets the name and e-mail address of the guest, and no public answer contains them', async () => {
    const guest = await add({ email: 'mary@example.org', paddle: '117' });
    const own = await pledge({});
    expect(own).toMatchObject({ donorName: 'Mary Jones', isAnonymous: true, guestId: guest.id });
    // Volunteers see no addresses of the guest list.
    expect(own.donorEmail).toBeNull();
    expect((await staff().get('/donations').expect(200)).body).toMatchObject({
      data: [{ donorEmail: null }],
    });
    const seen = (await admin.get(`/donations?eventId=${event.id}`).expect(200)).body as {
      data: DonationBody[];
    };
    expect(seen.data).toMatchObject([{ donorName: 'Mary Jones', donorEmail: 'mary@example.org' }]);
  });

  it('keeps the hidden e-mail address when a volunteer corrects another field', async () => {
    await add({ email: 'mary@example.org', paddle: '117' });
    const { id } = await pledge({});
    const corrected = await staff().patch(`/donations/${id}`, { message: 'For the roof', donorEmail: null });
    expect(corrected.body).toMatchObject({ message: 'For the roof', donorEmail: null });
    const [row] = await sql<{ donor_email: string }>(app, 'SELECT donor_email FROM donation WHERE id = $1', [
      id,
    ]);
    expect(row?.donor_email).toBe('mary@example.org');
  });

  it('an edit conflict does not show the hidden address to a volunteer', async () => {
    await add({ email: 'mary@example.org', paddle: '117' });
    const { id } = await pledge({});
    const change = { donorEmail: 'new@example.org', expected: { donorEmail: 'old@example.org' } };
    const { body } = await staff().patch(`/donations/${id}`, change).expect(409);
    expect(body).toMatchObject({ code: 'EDIT_CONFLICT', details: [{ field: 'donorEmail', value: null }] });
  });

  it('keeps a name that the volunteer typed, and records an unknown paddle without a name', async () => {
    await add({ email: 'mary@example.org', paddle: '117' });
    expect(await pledge({ donorName: 'Carol' })).toMatchObject({ donorName: 'Carol', isAnonymous: false });
    expect(await pledge({ paddle: '118' })).toMatchObject({ donorName: null, paddle: '118' });
  });
});

describe('personal data of guests', () => {
  it('the erasure and the export of a donor include the guest list', async () => {
    await add({ email: 'MARY@example.org', paddle: '117', note: 'Vegetarian' });
    await add({ name: 'Bob Jones', email: 'bob@example.org' });
    await staff().post('/donations', { amount: 5_000, type: 'cash', paddle: '117' }).expect(201);
    const donors = (await admin.get('/donors').expect(200)).body as { data: { key: string }[] };
    const key = String(donors.data[0]?.key);
    const file = (await admin.get(`/donors/${key}/export`).expect(200)).text;
    expect(file).toContain('Vegetarian');
    await admin.delete(`/donors/${key}`).expect(200);
    expect(names(await list())).toEqual(['Bob Jones']);
  });

  it('guests are deleted thirty days after the event and the last change, not before', async () => {
    const retention = app.app.get(GuestRetention);
    await add({});
    await sql(app, "UPDATE event SET date = now() - interval '31 days' WHERE id = $1", [event.id]);
    expect(await retention.delete()).toBe(0);
    await sql(app, "UPDATE guest SET updated_at = now() - interval '31 days'");
    await sql(app, "UPDATE event SET date = now() - interval '29 days' WHERE id = $1", [event.id]);
    expect(await retention.delete()).toBe(0);
    await sql(app, "UPDATE event SET date = now() - interval '31 days' WHERE id = $1", [event.id]);
    await admin.patch(`/events/${event.id}/settings`, { privacy: { guestDays: 60 } }).expect(200);
    expect(await retention.delete()).toBe(0);
    await admin.patch(`/events/${event.id}/settings`, { privacy: { guestDays: 30 } }).expect(200);
    expect(await retention.delete()).toBe(1);
    expect((await list()).total).toBe(0);
  });
});
