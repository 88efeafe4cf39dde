import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { moderationStates } from '../../src/donations/recording/new-donation.js';
import { as } from '../support/bearer.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

describe('moderation of messages', () => {
  const evening = withEvent({ each: true });
  const { app, admin, event } = evening;
  const staff = withStaff(evening, { each: true });
  let wall: WallClient;

  const post = (path: string, token: string, body: object = {}) => as(app, token).post(path, body);
  const correct = (id: string, body: object, token = staff.token) =>
    as(app, token).patch(`/donations/${id}`, body).expect(200);
  const give = async (token = staff.token, fields: object = {}): Promise<string> => {
    const { body } = await post('/donations', token, {
      amount: 500,
      type: 'cash',
      message: 'Hello',
      ...fields,
    }).expect(201);
    return (body as { id: string }).id;
  };
  const moderate = async (live: object = { moderateMessages: true }) => {
    await admin.patch(`/events/${event.id}/settings`, { live }).expect(200);
  };

  beforeEach(async () => {
    wall = await WallClient.connect(app.url);
    await wall.join(event.id);
  });
  afterEach(() => {
    wall.close();
  });

  it('moderation is off until an event switches it on', async () => {
    await give();
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body.message).toBe('Hello');
  });

  it('moderation holds the message but not the amount until staff or an admin approve it', async () => {
    await moderate();
    const id = await give();
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject({ id, amount: 500 });
    expect(wall.created[0]?.body).not.toHaveProperty('message');

    const { body } = await staff.get('/donations/messages').expect(200);
    expect(body).toEqual([expect.objectContaining({ id, message: 'Hello', messageState: 'held' })]);
    const approved = await post(`/donations/${id}/message/approve`, staff.token).expect(200);
    expect(approved.body).toMatchObject({ id, messageState: 'visible' });
    await wall.until(() => wall.donations.length === 2);
    expect(wall.donations[1]).toMatchObject({
      topic: 'donation.updated',
      body: { id, message: 'Hello', amount: 500 },
    });
  });

  it.each([
    ['with moderate: messages holds a message', { moderate: 'messages' }, 'held'],
    ['with moderate: all holds a message', { moderate: 'all' }, 'held'],
    ['with the older moderateMessages: true holds a message', { moderateMessages: true }, 'held'],
    ['with moderate: none shows a message despite the global setting', { moderate: 'none' }, 'visible'],
    ['with the older moderateMessages: false shows a message', { moderateMessages: false }, 'visible'],
    ['without a setting holds a message by the global setting', {}, 'held'],
  ])('an event %s', async (_, live, state) => {
    await sql(
      app,
      `INSERT INTO global_settings (id, value) VALUES (1, '{"live":{"moderateMessages":true}}')
       ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
    );
    await sql(app, 'UPDATE event SET overrides = $2::jsonb WHERE id = $1', [
      event.id,
      JSON.stringify({ live }),
    ]);
    const id = await give();
    const rows = await sql(app, 'SELECT message_state FROM donation WHERE id = $1', [id]);
    await sql(app, `UPDATE global_settings SET value = '{}'`);
    expect(rows).toEqual([{ message_state: state }]);
  });

  it('a message added by a correction is held, and a hidden message stays hidden', async () => {
    await moderate();
    const waiting = async () => {
      const { body } = await admin.get(`/donations/messages?eventId=${event.id}`).expect(200);
      return body as unknown[];
    };
    const shown = async () => JSON.stringify(await wall.join({ eventId: event.id, snapshot: true }));
    const silent = await give(staff.token, { message: null });
    const read = await give();
    await post(`/donations/${read}/message/approve`, admin.token).expect(200);
    await correct(silent, { message: 'Nobody read this' });
    await correct(read, { message: 'Nor this' }, admin.token);
    expect(await waiting()).toEqual([
      expect.objectContaining({ id: silent, message: 'Nobody read this', messageState: 'held' }),
      expect.objectContaining({ id: read, message: 'Nor this', messageState: 'held' }),
    ]);
    expect(await shown()).not.toMatch(/Nobody|Nor this/);
    await post(`/donations/${read}/message/approve`, staff.token).expect(200);
    // A correction of another field does not show the hidden message again.
    await correct(read, { donorName: 'Ada', message: 'Nor this' });
    await post(`/donations/${silent}/message/hide`, admin.token).expect(200);
    await correct(silent, { message: 'Other words' });
    expect(await waiting()).toEqual([]);
    expect(await sql(app, 'SELECT message_state FROM donation WHERE id = $1', [silent])).toEqual([
      { message_state: 'hidden' },
    ]);
  });

  it('a hidden message disappears from the walls at once, and no message is broadcast twice', async () => {
    const id = await give();
    await post(`/donations/${id}/message/hide`, admin.token).expect(200);
    await wall.until(() => wall.donations.length === 2);
    expect(wall.donations[1]?.topic).toBe('donation.updated');
    expect(wall.donations[1]?.body).not.toHaveProperty('message');
    await post(`/donations/${id}/message/hide`, admin.token).expect(200);
    await post(`/donations/${id}/message/approve`, admin.token).expect(200);
    await wall.until(() => wall.donations.length === 3);
    expect(wall.donations.map(({ body }) => body.sequence)).toEqual([1, 2, 3]);
    const history = await admin.get(`/donations/${id}/history`).expect(200);
    expect((history.body as { reason: string }[]).map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['message hidden', 'message approved']),
    );
  });

  it('staff of the event moderate all its donations, and staff of other events get 404', async () => {
    const id = await give(admin.token, { eventId: event.id });
    const other = await createEvent(app, admin.token);
    const stranger = await createStaff(app, admin.token, other.id);
    await post(`/donations/${id}/message/hide`, stranger.token).expect(404);
    await as(app, stranger.token).get(`/donations/messages?eventId=${event.id}`).expect(404);
    await post(`/donations/${id}/message/hide`, staff.token).expect(200);
    await app.http.post(`/donations/${id}/message/hide`).expect(401);
  });

  it('a moderator does not see the name of an anonymous donor', async () => {
    await moderate();
    await give(staff.token, { donorName: 'Secret', isAnonymous: true });
    const { body } = await admin
      .get(`/donations/messages?eventId=${event.slug}&state=held&limit=10`)
      .expect(200);
    expect(body).toEqual([expect.objectContaining({ donorName: 'Anonymous' })]);
  });

  describe('moderation of names', () => {
    const moderateAll = () =>
      admin.patch(`/events/${event.id}/settings`, { live: { moderate: 'all' } }).expect(200);

    it('moderation holds name and message but not the amount until each is approved', async () => {
      await moderateAll();
      const id = await give(staff.token, { donorName: 'Rude Name' });
      await wall.until(() => wall.created.length === 1);
      expect(wall.created[0]?.body).toMatchObject({ id, amount: 500, donorName: 'Anonymous' });
      expect(wall.created[0]?.body).not.toHaveProperty('message');
      const { body } = await staff.get('/donations/messages').expect(200);
      expect(body).toEqual([
        expect.objectContaining({ id, donorName: 'Rude Name', nameState: 'held', messageState: 'held' }),
      ]);
      await post(`/donations/${id}/name/approve`, staff.token).expect(200);
      await wall.until(() => wall.donations.length === 2);
      expect(wall.donations[1]).toMatchObject({
        topic: 'donation.updated',
        body: { id, donorName: 'Rude Name' },
      });
      expect(wall.donations[1]?.body).not.toHaveProperty('message');
      await post(`/donations/${id}/message/approve`, staff.token).expect(200);
      await wall.until(() => wall.donations.length === 3);
      expect(wall.donations[2]?.body).toMatchObject({ donorName: 'Rude Name', message: 'Hello' });
    });

    it('a held name without a message is listed, and a new wall does not show it', async () => {
      await moderateAll();
      const id = await give(staff.token, { donorName: 'Rude Name', message: null });
      await wall.until(() => wall.created.length === 1);
      const { body } = await admin.get(`/donations/messages?eventId=${event.id}`).expect(200);
      expect(body).toEqual([expect.objectContaining({ id, message: null, nameState: 'held' })]);
      const answer = await wall.join({ eventId: event.id, snapshot: true });
      expect(JSON.stringify(answer)).not.toContain('Rude');
    });

    it('a held name is not listed after the donor became anonymous', async () => {
      await moderateAll();
      const id = await give(staff.token, { donorName: 'Shy Name', message: null });
      const held = async () =>
        ((await staff.get('/donations/messages').expect(200)).body as { id: string }[]).map(
          (message) => message.id,
        );
      expect(await held()).toEqual([id]);
      await correct(id, { isAnonymous: true });
      expect(await held()).toEqual([]);
    });

    it('a name that a correction adds or reveals is held', async () => {
      await moderateAll();
      const nameless = await give(staff.token, { message: null });
      const covered = await give(staff.token, { message: null, donorName: 'Rude Cover', isAnonymous: true });
      await correct(nameless, { donorName: 'Rude Name', isAnonymous: false });
      await correct(covered, { isAnonymous: false });
      const { body } = await staff.get('/donations/messages').expect(200);
      expect(body).toEqual([
        expect.objectContaining({ id: nameless, donorName: 'Rude Name', nameState: 'held' }),
        expect.objectContaining({ id: covered, donorName: 'Rude Cover', nameState: 'held' }),
      ]);
      expect(JSON.stringify(await wall.join({ eventId: event.id, snapshot: true }))).not.toContain('Rude');
      await post(`/donations/${nameless}/name/approve`, staff.token).expect(200);
      // A new e-mail address does not change the name, so the name stays approved.
      await correct(nameless, { donorEmail: 'ada@example.org' });
      expect(await sql(app, 'SELECT name_state FROM donation WHERE id = $1', [nameless])).toEqual([
        { name_state: 'visible' },
      ]);
    });

    it('online donations are moderated by the same rule', () => {
      const states = [
        moderationStates('all', { donorName: 'Ada', isAnonymous: false, message: null }),
        moderationStates('all', { donorName: 'Ada', isAnonymous: true, message: 'Hello' }),
        moderationStates('messages', { donorName: 'Ada', isAnonymous: false, message: 'Hello' }),
        moderationStates('none', { donorName: 'Ada', isAnonymous: false, message: 'Hello' }),
      ];
      expect(states.map(({ name_state, message_state }) => [name_state, message_state])).toEqual([
        ['held', 'visible'],
        ['visible', 'held'],
        ['visible', 'held'],
        ['visible', 'visible'],
      ]);
    });

    it('a hidden name disappears from the walls at once and stays in the database', async () => {
      const id = await give(staff.token, { donorName: 'Rude Name' });
      await post(`/donations/${id}/name/hide`, admin.token).expect(200);
      await wall.until(() => wall.donations.length === 2);
      expect(wall.donations[1]?.body).toMatchObject({ donorName: 'Anonymous', message: 'Hello' });
      const rows = await sql(app, 'SELECT donor_name, name_state FROM donation WHERE id = $1', [id]);
      expect(rows).toEqual([{ donor_name: 'Rude Name', name_state: 'hidden' }]);
      await post(`/donations/${id}/name/hide`, admin.token).expect(200);
      expect(wall.donations).toHaveLength(2);
    });

    it('approving a name answers 409 if the donation shows no name', async () => {
      for (const fields of [{}, { donorName: 'Secret', isAnonymous: true }]) {
        const id = await give(staff.token, fields);
        const { body } = await post(`/donations/${id}/name/approve`, admin.token).expect(409);
        expect(body).toMatchObject({ code: 'NAME_MISSING' });
      }
    });
  });

  it('one request decides about the name and the message, and a later request undoes the decision on the wall', async () => {
    await moderate({ moderate: 'all' });
    const id = await give(staff.token, { donorName: 'Ada' });
    const decide = async (body: object) =>
      (await staff.post(`/donations/${id}/moderation`, body).expect(200)).body as object;
    const last = () => wall.donations.at(-1)?.body;
    const expected = { donorName: 'Ada', message: 'Hello' };
    expect(await decide({ name: 'visible', message: 'hidden', expected })).toMatchObject({
      nameState: 'visible',
      messageState: 'hidden',
    });
    await wall.until(() => last()?.donorName === 'Ada');
    expect(last()).not.toHaveProperty('message');
    await decide({ message: 'visible' });
    await wall.until(() => last()?.message === 'Hello');
    await decide({ name: 'held', message: 'held' });
    await wall.until(() => last()?.donorName === 'Anonymous' && last()?.message === undefined);
    const { body } = await admin.get(`/donations/messages?eventId=${event.id}`).expect(200);
    expect(body).toMatchObject([{ id, nameState: 'held', messageState: 'held' }]);
    const history = await admin.get(`/donations/${id}/history`).expect(200);
    expect((history.body as { reason: string }[]).map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['name awaits approval again', 'message awaits approval again']),
    );
  });

  it('a decision about a text that was changed meanwhile answers 409 and decides nothing', async () => {
    await moderate({ moderate: 'all' });
    const id = await give(staff.token, { donorName: 'Ada' });
    await correct(id, { message: 'Other words' });
    const { body } = await post(`/donations/${id}/moderation`, admin.token)
      .send({ name: 'visible', message: 'visible', expected: { donorName: 'Ada', message: 'Hello' } })
      .expect(409);
    expect(body).toMatchObject({
      code: 'EDIT_CONFLICT',
      details: [{ field: 'message', value: 'Other words' }],
    });
    const rows = await sql(app, 'SELECT name_state, message_state FROM donation WHERE id = $1', [id]);
    expect(rows).toEqual([{ name_state: 'held', message_state: 'held' }]);
  });

  it('moderation refuses invalid requests', async () => {
    const id = await give(staff.token, { message: null });
    for (const sent of [{}, { message: 'shown' }, { name: null }, { expected: { message: 'Hello' } }])
      await post(`/donations/${id}/moderation`, admin.token).send(sent).expect(400);
    await post(`/donations/${id}/moderation`, admin.token).send({ message: 'visible' }).expect(409);
    await post(`/donations/${id}/message/approve`, admin.token).expect(409);
    await post('/donations/nonsense/message/approve', admin.token).expect(404);
    await post('/donations/0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f/message/hide', admin.token).expect(404);
    await admin.get('/donations/messages').expect(400);
    await staff.get('/donations/messages?state=no').expect(400);
  });
});
