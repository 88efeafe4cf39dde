import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';
import { withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

describe('the live channel', () => {
  const app = withService(() => startApp({ CORS_ORIGINS: 'https://wall.example' }));
  const book = new DonationBook(app);
  const open: WallClient[] = [];

  const connect = async (
    ...options: Parameters<typeof WallClient.connect> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const client = await WallClient.connect(app.url, ...options);
    open.push(client);
    return client;
  };

  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });

  it('a donation is broadcast once to all sockets in the room, with the payload of the specification', async () => {
    const event = await book.event();
    const [one, two] = [await connect(), await connect()];
    expect(await one.join(event.id)).toEqual({ joined: true, eventId: event.id, sequence: 0 });
    expect(await two.join({ eventId: event.slug })).toEqual({ joined: true, eventId: event.id, sequence: 0 });
    const id = await book.give(event.id, { amount: 12_345, name: 'Ada', message: 'For the roof' });
    for (const wall of [one, two]) {
      await wall.until(
        () => wall.created.length === 1 && wall.totals.some(({ body }) => body.sequence === 1),
      );
      expect(wall.created[0]?.body).toEqual({
        id,
        eventId: event.id,
        amount: 12_345,
        currency: 'eur',
        donorName: 'Ada',
        message: 'For the roof',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        sequence: 1,
      });
      // Totals that were read before the broadcast may arrive after it. Their sequence number shows this.
      expect(wall.totals.find(({ body }) => body.sequence === 1)?.body).toEqual({
        eventId: event.id,
        sequence: 1,
        currency: 'eur',
        goalAmount: 1_000_000,
        totalRaised: 12_345,
        donorCount: 1,
        totals: [{ currency: 'eur', totalRaised: 12_345, donorCount: 1 }],
      });
    }
  });

  it('a broadcast contains neither the name of an anonymous donor nor a held or hidden message', async () => {
    const event = await book.event();
    const wall = await connect();
    await wall.join(event.id);
    await book.give(event.id, { anonymous: true, name: 'Secret Person', message: 'Hello' });
    await book.give(event.id, { name: null, message: 'held', messageState: 'held' });
    await book.give(event.id, { name: '  ', message: 'hidden', messageState: 'hidden' });
    await wall.until(() => wall.created.length === 3);
    expect(wall.created.map(({ body }) => [body.donorName, body.message])).toEqual([
      ['Anonymous', 'Hello'],
      ['Anonymous', undefined],
      ['Anonymous', undefined],
    ]);
    expect(JSON.stringify(wall.received)).not.toMatch(/Secret|donorEmail|held|hidden/);
  });

  it('a burst is broadcast on every transport and during its change: each donation once, in order', async () => {
    const event = await book.event();
    const walls = await Promise.all(
      [['websocket'], ['polling'], ['polling', 'websocket'], ['websocket'], ['polling', 'websocket']].map(
        async (transports) => {
          const wall = await connect({ transports });
          await wall.join(event.id);
          return wall;
        },
      ),
    );
    await Promise.all(
      Array.from({ length: 150 }, () => book.give(event.id, { message: '€ ✓ ' + 'x'.repeat(200) })),
    );
    for (const wall of walls) {
      await wall.until(() => wall.created.length >= 150);
      expect(wall.created.map(({ body }) => body.sequence)).toEqual(
        Array.from({ length: 150 }, (_, index) => index + 1),
      );
    }
  });

  it('edits and retractions are broadcast with the current state of the donation', async () => {
    const event = await book.event();
    const wall = await connect();
    await wall.join(event.id);
    const id = await book.give(event.id);
    await book.change(id, 'donation.updated', { donor_name: 'Augusta' });
    await wall.until(() => wall.donations.length === 2);
    await book.change(id, 'donation.retracted', { status: 'CANCELLED' });
    await wall.until(() => wall.donations.length === 3);
    expect(wall.donations.map(({ topic, body }) => [topic, body.sequence])).toEqual([
      ['donation.created', 1],
      ['donation.updated', 2],
      ['donation.retracted', 3],
    ]);
    expect(wall.donations[1]?.body.donorName).toBe('Augusta');
    expect(wall.donations[2]?.body).toEqual({ id, eventId: event.id, sequence: 3, reason: 'cancelled' });
  });

  it('the edit of a donation that was cancelled afterwards is broadcast as a retraction', async () => {
    const event = await book.event();
    const wall = await connect();
    await wall.join(event.id);
    const id = await book.give(event.id);
    await wall.until(() => wall.created.length === 1);
    await book.query("UPDATE donation SET status = 'CANCELLED' WHERE id = $1", [id]);
    await book.change(id, 'donation.updated');
    await wall.until(() => wall.donations.length === 2);
    expect(wall.donations[1]).toMatchObject({
      topic: 'donation.retracted',
      body: { id, reason: 'cancelled' },
    });
  });

  it('a socket never receives messages of another event', async () => {
    const [mine, other] = [await book.event(), await book.event()];
    const wall = await connect();
    await wall.join(mine.id);
    await book.give(other.id);
    await book.give(mine.id);
    await wall.until(() => wall.created.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(new Set(wall.received.map(({ body }) => body.eventId))).toEqual(new Set([mine.id]));
  });

  it('a socket receives nothing after it left the room', async () => {
    const event = await book.event();
    const [wall, witness] = [await connect(), await connect()];
    await wall.join(event.id);
    await witness.join(event.id);
    expect(await wall.ask('leaveEvent', event.slug)).toEqual({ left: true, eventId: event.id });
    await book.give(event.id);
    await witness.until(() => witness.created.length === 1);
    expect(wall.created).toEqual([]);
  });

  it('walls can join closed and paused events, but not draft, archived or unknown ones', async () => {
    const wall = await connect();
    for (const status of ['active', 'paused', 'closed'])
      expect(await wall.join((await book.event({ status })).id)).toMatchObject({ joined: true });
    for (const ref of [
      (await book.event({ status: 'draft' })).id,
      (await book.event({ status: 'archived' })).id,
      'no-such-event',
      '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    ])
      expect(await wall.join(ref)).toEqual({
        error: { statusCode: 404, message: expect.any(String), error: 'Not Found', code: 'EVENT_NOT_FOUND' },
      });
  });

  it('no names are broadcast for an event that is archived while a wall listens', async () => {
    const event = await book.event();
    const wall = await connect();
    await wall.join(event.id);
    const shown = await book.give(event.id, { name: 'Ada' });
    await wall.until(() => wall.created.length === 1);
    await book.query("UPDATE event SET status = 'archived' WHERE id = $1", [event.id]);
    const late = await book.give(event.id, { name: 'Late Donor' });
    await wall.until(() => wall.donations.some(({ body }) => body.id === late));
    expect(wall.created.map(({ body }) => body.id)).toEqual([shown]);
    expect(JSON.stringify(wall.received)).not.toContain('Late Donor');
  });

  it('walls can join as soon as a draft is opened', async () => {
    const event = await book.event({ status: 'draft' });
    const wall = await connect();
    expect(await wall.join(event.slug)).toMatchObject({ error: { statusCode: 404 } });
    await book.query("UPDATE event SET status = 'active' WHERE id = $1", [event.id]);
    expect(await wall.join(event.slug)).toMatchObject({ joined: true });
  });

  it('invalid packets get 400, and the socket continues', async () => {
    const event = await book.event();
    const wall = await connect();
    const garbage: unknown[] = [
      ...[undefined, null, 7, true, '', [], {}, ['a', 'b'], { eventId: 7 }, { eventId: [event.id] }],
      ...[
        { eventId: event.id, since: -1 },
        { eventId: event.id, since: 1.5 },
        { eventId: event.id, since: '3' },
      ],
      ...[{ eventId: { toString: 'x' } }, 'x'.repeat(500), { eventId: event.id, since: Number.MAX_VALUE }],
    ];
    for (const body of garbage.slice(0, 9)) expect((await wall.join(body)).error?.statusCode).toBe(400);
    const second = await connect();
    for (const body of garbage.slice(9)) expect((await second.join(body)).error?.statusCode).toBe(400);
    second.socket.emit('joinEvent');
    second.socket.emit('joinEvent', event.id, 'and', 'more');
    second.socket.emit('noSuchEvent', { any: 'thing' });
    second.socket.emit('__proto__', 1);
    for (const bad of ['\u0000', 'event:x', "'; DROP TABLE event", '../..', '%00'])
      expect((await second.join(bad)).error?.statusCode).toBe(404);
    expect(await second.join(event.id)).toMatchObject({ joined: true });
  });

  it('a client can neither send into a room nor fake its messages', async () => {
    const event = await book.event();
    const [wall, attacker] = [await connect(), await connect()];
    await wall.join(event.id);
    await attacker.join(event.id);
    attacker.socket.emit('donation.created', { id: 'x', eventId: event.id, amount: 1, sequence: 1 });
    attacker.socket.emit('event.totals', { eventId: event.id, totalRaised: 1, sequence: 1 });
    expect((await attacker.join(attacker.socket.id)).error?.statusCode).toBe(404);
    expect((await attacker.join(wall.socket.id)).error?.statusCode).toBe(404);
    expect((await attacker.join(`event:${event.id}`)).error?.statusCode).toBe(404);
    await expect(WallClient.connect(`${app.url}/event:${event.id}`)).rejects.toThrow('Invalid namespace');
    await expect(WallClient.connect(`${app.url}/admin`)).rejects.toThrow('Invalid namespace');
    await book.give(event.id);
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body.id).not.toBe('x');
    expect(wall.totals.every(({ body }) => body.totalRaised !== 1)).toBe(true);
  });

  it('a socket is limited to ten rooms, and a room joined twice counts once', async () => {
    const wall = await connect();
    const events = await Promise.all(Array.from({ length: 11 }, () => book.event()));
    for (const { id } of events.slice(0, 10)) expect(await wall.join(id)).toMatchObject({ joined: true });
    expect(await wall.join(events[3]?.slug)).toMatchObject({ joined: true });
    expect(await wall.join(events[10]?.id)).toMatchObject({
      error: { statusCode: 409, code: 'TOO_MANY_ROOMS' },
    });
    await wall.ask('leaveEvent', events[0]?.id);
    expect(await wall.join(events[10]?.id)).toMatchObject({ joined: true });
  });

  it('ten rooms are the limit even if all are requested at once', async () => {
    const wall = await connect();
    const events = await Promise.all(Array.from({ length: 15 }, () => book.event()));
    const answers = await Promise.all(events.map(({ id }) => wall.join(id)));
    expect(answers.filter(({ joined }) => joined)).toHaveLength(10);
  });

  it('the number of joins per socket is limited, and a flooding socket is disconnected', async () => {
    const event = await book.event();
    const wall = await connect();
    const answers = await Promise.all(Array.from({ length: 60 }, () => wall.join(event.id)));
    expect(answers.some(({ error }) => error?.statusCode === 429)).toBe(true);
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    for (let count = 0; count < 400; count++) wall.socket.emit('noise', count);
    expect(await cut).toBe('io server disconnect');
  });

  it('a socket that sends more than four kilobytes is disconnected', async () => {
    const wall = await connect();
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    wall.socket.emit('joinEvent', 'x'.repeat(5_000));
    expect(await cut).toMatch(/transport/);
  });

  it('foreign origins are refused on every transport; own and listed origins and non-browsers are accepted', async () => {
    for (const transports of [['websocket'], ['polling']]) {
      await expect(
        connect({ transports, extraHeaders: { origin: 'https://evil.example' } }),
      ).rejects.toThrow();
      await expect(connect({ transports, extraHeaders: { origin: 'null' } })).rejects.toThrow();
      for (const origin of ['https://wall.example', app.url])
        expect((await connect({ transports, extraHeaders: { origin } })).socket.connected).toBe(true);
      expect((await connect({ transports })).socket.connected).toBe(true);
    }
  });
});
