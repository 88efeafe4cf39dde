import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FloorInbox, FloorOverview } from '../../src/floor/dto/floor.dto.js';
import { FloorMessages } from '../../src/floor/floor-messages.service.js';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type Caller, errorBody } from '../support/bearer.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';
import { enrolTerminal, signInOn } from '../support/terminals.js';
import { WallClient } from '../support/wall-client.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { name: 'Maria', each: true });

const PATH = '/floor-messages';
let sender: Caller;
beforeEach(async () => {
  // The limit counts by person, so each test has its own.
  sender = as(app, await adminToken(app));
});
const send = (fields: object = {}) =>
  sender.post(PATH, { eventId: event.id, text: 'Ten minutes', ...fields });
const sent = async (fields: object = {}): Promise<string> =>
  ((await send(fields).expect(201)).body as { id: string }).id;
const inbox = async (till: Caller) => (await till.get(`${PATH}/inbox`).expect(200)).body as FloorInbox;
const texts = async (till: Caller) => (await inbox(till)).messages.map(({ text }) => text);
const overview = async (eventId = event.id) =>
  (await sender.get(`${PATH}?eventId=${eventId}`).expect(200)).body as FloorOverview;
const ask = (fields: object = {}, till: Caller = maria) =>
  till.post('/floor-requests', { kind: 'change', ...fields });
const asked = async (fields: object = {}, till: Caller = maria): Promise<string> =>
  ((await ask(fields, till).expect(201)).body as { id: string }).id;
const colleague = async (name = 'Grace') => {
  const member = await createStaff(app, admin.token, event.id, name);
  return { ...as(app, member.token), ...member };
};

describe('a message to the tills', () => {
  it('reaches every till of the event until its member presses "OK", and the dashboard names the readers', async () => {
    const grace = await colleague();
    const id = await sent();
    expect(await texts(maria)).toEqual(['Ten minutes']);
    expect(await texts(grace)).toEqual(['Ten minutes']);
    const { body } = await maria.post(`${PATH}/${id}/read`).expect(200);
    expect(body).toEqual({ id, readAt: expect.any(String) });
    expect((await maria.post(`${PATH}/${id}/read`).expect(200)).body).toEqual(body);
    expect(await texts(maria)).toEqual([]);
    expect(await texts(grace)).toEqual(['Ten minutes']);
    expect((await overview()).messages).toEqual([
      {
        id,
        text: 'Ten minutes',
        terminal: null,
        staff: null,
        createdAt: expect.any(String),
        sentBy: expect.any(String),
        withdrawnAt: null,
        readings: [
          {
            staff: { id: maria.id, name: 'Maria' },
            terminal: null,
            readAt: (body as { readAt: string }).readAt,
          },
        ],
      },
    ]);
  });

  it('for one member reaches only that member', async () => {
    const grace = await colleague();
    const id = await sent({ staffId: grace.id });
    expect([await texts(maria), await texts(grace)]).toEqual([[], ['Ten minutes']]);
    expect((await maria.post(`${PATH}/${id}/read`).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'FLOOR_MESSAGE_NOT_FOUND'),
    );
  });

  it('for one terminal reaches the member who is signed in there, and is read for the next member too', async () => {
    const bar = await enrolTerminal(app, admin.token, 'Bar');
    const atBar = as(app, await signInOn(app, bar, maria.code, event.id));
    const grace = await colleague();
    const next = as(app, await signInOn(app, bar, grace.code, event.id));
    const id = await sent({ terminalId: bar.id });
    expect([await texts(maria), await texts(atBar), await texts(next)]).toEqual([
      [],
      ['Ten minutes'],
      ['Ten minutes'],
    ]);
    await atBar.post(`${PATH}/${id}/read`).expect(200);
    expect(await texts(next)).toEqual([]);
    expect((await overview()).messages[0]).toMatchObject({
      terminal: { id: bar.id, name: 'Bar' },
      readings: [{ staff: { name: 'Maria' }, terminal: { name: 'Bar' } }],
    });
  });

  it('reaches no till of another event', async () => {
    const other = await createEvent(app, admin.token);
    const stranger = await createStaff(app, admin.token, other.id);
    const id = await sent();
    expect(await texts(as(app, stranger.token))).toEqual([]);
    await as(app, stranger.token).post(`${PATH}/${id}/read`).expect(404);
    expect((await overview(other.id)).messages).toEqual([]);
  });

  it('disappears from the tills when it is withdrawn, once', async () => {
    const id = await sent();
    const first = (await sender.post(`${PATH}/${id}/withdraw`).expect(200)).body as { withdrawnAt: string };
    expect(first.withdrawnAt).toEqual(expect.any(String));
    expect((await admin.post(`${PATH}/${id}/withdraw`).expect(200)).body).toEqual(first);
    expect(await texts(maria)).toEqual([]);
    expect((await overview()).messages).toMatchObject([{ id, withdrawnAt: first.withdrawnAt }]);
  });

  it('a message is shown for four hours, at most three at once, the oldest first', async () => {
    const old = await sent({ text: 'Old' });
    await sql(app, "UPDATE floor_message SET created_at = now() - interval '241 minutes' WHERE id = $1", [
      old,
    ]);
    for (const text of ['One', 'Two', 'Three', 'Four']) await sent({ text });
    expect(await texts(maria)).toEqual(['One', 'Two', 'Three']);
  });

  it('reaches a till with a live connection at once, and its text is in no live message', async () => {
    const till = await WallClient.connect(app.url, { auth: { token: maria.token } });
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    await sent();
    await till.until(({ received }) => received.some(({ topic }) => topic === 'floor.changed'));
    expect(till.received.map(({ topic, body }) => [topic, body])).toEqual([
      ['floor.changed', { eventId: event.id }],
    ]);
    expect(wall.received.filter(({ topic }) => topic === 'floor.changed')).toEqual([]);
    till.close();
    wall.close();
  });

  it.each([
    ['without a text', { text: undefined }, 400],
    ['with an empty text', { text: '  ' }, 400],
    ['with 141 characters', { text: 'x'.repeat(141) }, 400],
    ['with a text of several lines', { text: 'a\nb' }, 400],
    ['to a terminal and a member', { terminalId: newId(), staffId: newId() }, 400],
    ['to a receiver that is no id', { terminalId: 'bar' }, 400],
    ['with an unknown field', { role: 'captain' }, 400],
    ['without an event', { eventId: undefined }, 400],
    ['to an unknown event', { eventId: newId() }, 404],
    ['to an unknown terminal', { terminalId: newId() }, 404],
    ['to a member of no event', { staffId: newId() }, 404],
  ])('%s is refused', async (_, fields, status) => {
    await send(fields).expect(status);
    expect(await sql(app, 'SELECT 1 FROM floor_message WHERE event_id = $1', [event.id])).toEqual([]);
  });

  it('takes 140 characters', async () => {
    await sent({ text: '€'.repeat(140) });
  });

  it('to a blocked terminal is refused', async () => {
    const bar = await enrolTerminal(app, admin.token, 'Bar');
    await admin.delete(`/terminals/${bar.id}`).expect(200);
    expect((await send({ terminalId: bar.id }).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'TERMINAL_NOT_FOUND'),
    );
  });

  it('the eleventh message in a minute is refused', async () => {
    for (let count = 0; count < 10; count += 1) await sent();
    const { headers } = await send().expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  it('a message is sent and read only by those who may', async () => {
    const id = await sent();
    const accountant = as(app, await adminToken(app, 'ACCOUNTANT'));
    await maria.post(PATH, { text: 'Hello' }).expect(403);
    await maria.get(`${PATH}?eventId=${event.id}`).expect(403);
    await maria.post(`${PATH}/${id}/withdraw`).expect(403);
    await accountant.post(PATH, { eventId: event.id, text: 'Hello' }).expect(403);
    await accountant.get(`${PATH}?eventId=${event.id}`).expect(200);
    await admin.get(`${PATH}/inbox`).expect(403);
    await admin.post(`${PATH}/${id}/read`).expect(403);
    await app.http.get(`${PATH}/inbox`).expect(401);
    expect((await overview()).messages).toMatchObject([{ readings: [], withdrawnAt: null }]);
  });
});

describe('a request of a till', () => {
  it('appears for the dashboard, and the till learns that it is seen and closed', async () => {
    const bar = await enrolTerminal(app, admin.token, 'Bar');
    const till = as(app, await signInOn(app, bar, maria.code, event.id));
    const { body } = await ask({ place: ' 12 ' }, till).expect(201);
    const { id } = body as { id: string };
    expect(body).toEqual({
      id,
      kind: 'change',
      place: '12',
      createdAt: expect.any(String),
      seenAt: null,
      closedAt: null,
    });
    expect((await overview()).requests).toEqual([
      {
        ...(body as object),
        staff: { id: maria.id, name: 'Maria' },
        terminal: { id: bar.id, name: 'Bar' },
        seenBy: null,
        closedBy: null,
      },
    ]);
    await sender.post(`/floor-requests/${id}/see`).expect(200);
    expect((await inbox(till)).requests).toMatchObject([{ id, seenAt: expect.any(String), closedAt: null }]);
    await sender.post(`/floor-requests/${id}/close`).expect(200);
    expect((await inbox(till)).requests).toMatchObject([{ id, closedAt: expect.any(String) }]);
    expect((await overview()).requests).toEqual([]);
  });

  it('a request is answered once: a second person gets the name of the first', async () => {
    const id = await asked();
    const [one, other] = await Promise.all(
      [sender, as(app, await adminToken(app))].map((caller) => caller.post(`/floor-requests/${id}/close`)),
    );
    expect([one?.status, other?.status]).toEqual([200, 200]);
    expect(one?.body).toEqual(other?.body);
    expect(one?.body).toMatchObject({ closedBy: expect.any(String), seenAt: expect.any(String) });
    const later = await admin.post(`/floor-requests/${id}/see`).expect(200);
    expect(later.body).toEqual(one?.body);
    expect(
      await sql(app, 'SELECT action FROM audit_entry WHERE subject_id = $1 ORDER BY created_at', [id]),
    ).toEqual([{ action: 'floor.ask' }, { action: 'floor.close' }]);
  });

  it('a request of one kind is open only once, with the last table, also if it is sent twice at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask({ place: '12' })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
    await asked({ place: '14' });
    await asked({ kind: 'help' });
    expect((await overview()).requests).toMatchObject([
      { kind: 'change', place: '14' },
      { kind: 'help', place: null },
    ]);
  });

  it('can be made again after it was closed; the till shows a closed one for five minutes', async () => {
    const id = await asked();
    await sender.post(`/floor-requests/${id}/close`).expect(200);
    const again = await asked();
    expect(again).not.toBe(id);
    await sql(app, "UPDATE floor_message SET closed_at = now() - interval '301 seconds' WHERE id = $1", [id]);
    expect((await inbox(maria)).requests.map((one) => one.id)).toEqual([again]);
  });

  it('is shown only to its own member', async () => {
    await asked();
    expect((await inbox(await colleague())).requests).toEqual([]);
  });

  it.each(['change', 'help', 'record', 'card_reader'])('can be "%s"', async (kind) => {
    await asked({ kind });
  });

  it.each([
    ['an unknown kind', { kind: 'drinks' }],
    ['no kind', { kind: undefined }],
    ['free text', { kind: 'help', text: 'Come here' }],
    ['a long number of a table', { place: 'x'.repeat(13) }],
    ['a table that is no text', { place: 12 }],
  ])('with %s is refused', async (_, fields) => {
    await ask(fields).expect(400);
    expect((await overview()).requests).toEqual([]);
  });

  it('the eleventh request in a minute is refused', async () => {
    const { token } = await colleague();
    for (let count = 0; count < 10; count += 1) await asked({}, as(app, token));
    await ask({}, as(app, token)).expect(429);
  });

  it('is no message, and a message is no request', async () => {
    const [request, message] = [await asked(), await sent()];
    await sender.post(`${PATH}/${request}/withdraw`).expect(404);
    await maria.post(`${PATH}/${request}/read`).expect(404);
    for (const how of ['see', 'close'])
      expect((await sender.post(`/floor-requests/${message}/${how}`).expect(404)).body).toEqual(
        errorBody(404, 'Not Found', 'FLOOR_REQUEST_NOT_FOUND'),
      );
    await sender.post('/floor-requests/not-an-id/close').expect(404);
    await maria.post(`/floor-requests/${request}/close`).expect(403);
    expect((await overview()).requests).toMatchObject([{ id: request, seenAt: null }]);
  });
});

describe('the end of messages and requests', () => {
  it('is after 48 hours, with their readings', async () => {
    const [old, recent] = [await sent(), await sent({ text: 'Recent' })];
    await maria.post(`${PATH}/${old}/read`).expect(200);
    await sql(app, "UPDATE floor_message SET created_at = now() - interval '48 hours' WHERE id = $1", [old]);
    await app.app.get(FloorMessages, { strict: false }).delete();
    expect(await sql(app, 'SELECT id FROM floor_message WHERE event_id = $1', [event.id])).toEqual([
      { id: recent },
    ]);
    expect(await sql(app, 'SELECT 1 FROM floor_reading WHERE message_id = $1', [old])).toEqual([]);
  });

  it('is the end of the event', async () => {
    const elsewhere = await createEvent(app, admin.token);
    await sent({ eventId: elsewhere.id });
    await sql(app, 'DELETE FROM event WHERE id = $1', [elsewhere.id]);
    expect(await sql(app, 'SELECT 1 FROM floor_message WHERE event_id = $1', [elsewhere.id])).toEqual([]);
  });

  it('is the erasure of a donor whom they name; the data export of the donor has their text', async () => {
    const donorEmail = `ada.${newId()}@example.org`;
    await maria
      .post('/donations', { amount: 500, type: 'cash', donorName: 'Ada Byron', donorEmail })
      .expect(201);
    await sent({ text: 'ada byron is at table 4' });
    const other = await sent({ text: 'The band plays' });
    const found = await admin.get(`/donors?search=${encodeURIComponent(donorEmail)}`).expect(200);
    const [{ key }] = (found.body as { data: [{ key: string }] }).data;
    const { text } = await admin.get(`/donors/${key}/export`).expect(200);
    expect(JSON.parse(text)).toMatchObject({ floorMessages: [{ text: 'ada byron is at table 4' }] });
    await admin.delete(`/donors/${key}`).expect(200);
    expect(await sql(app, 'SELECT id FROM floor_message WHERE event_id = $1', [event.id])).toEqual([
      { id: other },
    ]);
  });
});
