import { afterEach, describe, expect, it } from '@jest/globals';
import { io, type Socket } from 'socket.io-client';
import { startApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';
import { withService } from '../support/setup.js';
import { until } from '../support/until.js';

interface Heard {
  readonly topic: string;
  readonly body: Record<string, unknown>;
}

describe('a client that names an event when it connects', () => {
  const app = withService(() => startApp({ CORS_ORIGINS: 'https://wall.example' }));
  const book = new DonationBook(app);
  const open: Socket[] = [];

  /** Connects. Resolves with all messages that arrived before the answer, and the answer. */
  const joinAsConnected = async (joinEvent: unknown, transports = ['websocket'], auth: object = {}) => {
    const socket = io(app.url, {
      transports,
      forceNew: true,
      reconnection: false,
      auth: { ...auth, joinEvent },
    });
    open.push(socket);
    const heard: Heard[] = [];
    socket.onAny((topic: string, body: Heard['body']) => {
      heard.push({ topic, body });
    });
    const refusals: Error[] = [];
    socket.on('connect_error', (error) => refusals.push(error));
    await until(() => heard.some(({ topic }) => topic === 'join.answer') || refusals.length > 0, 'an answer');
    return { socket, heard, refusals, answer: heard.find(({ topic }) => topic === 'join.answer')?.body };
  };

  afterEach(() => {
    for (const socket of open.splice(0)) socket.disconnect();
  });

  it.each([[['websocket']], [['polling']], [['polling', 'websocket']]])(
    'a client that connects with an event gets the answer of joinEvent and the totals, and then listens (%j)',
    async (transports) => {
      const event = await book.event();
      for (const ref of [event.id, event.slug, { eventId: event.slug }]) {
        const { socket, heard, answer } = await joinAsConnected(ref, transports);
        const asked: unknown = await socket.emitWithAck('joinEvent', ref);
        expect(answer).toEqual(asked);
        await until(() => heard.some(({ topic }) => topic === 'event.totals'), 'totals');
        expect(heard.slice(0, 2).map(({ topic }) => topic)).toEqual(['join.answer', 'event.totals']);
      }
      const { heard } = await joinAsConnected(event.id, transports);
      const id = await book.give(event.id, { name: 'Ada' });
      await until(() => heard.some(({ body }) => body.id === id), 'the donation');
      expect(heard.filter(({ topic }) => topic === 'donation.created')).toHaveLength(1);
    },
  );

  it('a client that connects with an event gets missed messages once before the answer, alone or with others', async () => {
    const event = await book.event();
    const first = await joinAsConnected(event.id);
    for (let count = 0; count < 3; count++) await book.give(event.id);
    await until(
      () => first.heard.filter(({ topic }) => topic === 'donation.created').length === 3,
      'three donations',
    );
    for (const since of [0, 1, 3, 1, 3]) {
      const { heard, answer } = await joinAsConnected({ eventId: event.id, since });
      expect(answer).toEqual({ joined: true, eventId: event.id, sequence: 3 });
      const sequences = heard
        .slice(
          0,
          heard.findIndex(({ topic }) => topic === 'join.answer'),
        )
        .map(({ body }) => body.sequence);
      expect(sequences).toEqual([1, 2, 3].filter((sequence) => sequence > since));
    }
  });

  it('a client that connects with an event gets a snapshot if it asks for one or is ahead of the feed', async () => {
    const event = await book.event();
    const id = await book.give(event.id, { anonymous: true, name: 'Secret Person' });
    const listener = await joinAsConnected(event.id);
    await until(() => listener.answer?.sequence === 1 || listener.heard.length > 2, 'the donation');
    for (let count = 0; count < 3; count++) {
      const { answer, heard } = await joinAsConnected({ eventId: event.slug, snapshot: true });
      expect(answer?.snapshot).toMatchObject({ donations: [{ id, donorName: 'Anonymous' }] });
      expect(JSON.stringify(heard)).not.toContain('Secret');
    }
    const { answer } = await joinAsConnected({ eventId: event.id, since: 99 });
    expect(answer).toMatchObject({ joined: true, resync: true, snapshot: { donations: [{ id }] } });
  });

  it('many clients that connect during donations lose no message', async () => {
    const event = await book.event();
    const walls: Promise<Awaited<ReturnType<typeof joinAsConnected>>>[] = [];
    const given: Promise<string>[] = [];
    for (let count = 0; count < 60; count++) {
      given.push(book.give(event.id));
      walls.push(joinAsConnected({ eventId: event.id, since: 0 }));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(given);
    const created = (heard: readonly Heard[]) =>
      heard.filter(({ topic }) => topic === 'donation.created').map(({ body }) => body.sequence);
    for (const wall of walls) {
      const { heard, answer } = await wall;
      await until(() => new Set(created(heard)).size === 60, 'sixty donations', { timeoutMs: 20_000 });
      // All messages up to the position in the answer arrived before the answer. Later messages arrived separately.
      const before = created(
        heard.slice(
          0,
          heard.findIndex(({ topic }) => topic === 'join.answer'),
        ),
      );
      expect(before).toEqual(
        expect.arrayContaining(Array.from({ length: Number(answer?.sequence) }, (_, index) => index + 1)),
      );
    }
  });

  it('a refused event at the connection gets the error of joinEvent, counts as one request and keeps the connection', async () => {
    const draft = await book.event({ status: 'draft' });
    const archived = await book.event({ status: 'archived' });
    for (const ref of [draft.id, archived.slug, 'nobody-has-this']) {
      const { socket, answer } = await joinAsConnected(ref);
      expect(answer).toMatchObject({ error: { statusCode: 404, code: 'EVENT_NOT_FOUND' } });
      expect(socket.connected).toBe(true);
    }
    for (const odd of [null, 5, {}, [], { eventId: 'x', since: -1 }, { eventId: 'x', snapshot: 'yes' }]) {
      const { answer } = await joinAsConnected(odd);
      expect(answer).toMatchObject({ error: { statusCode: 400, code: 'VALIDATION_FAILED' } });
    }
    const event = await book.event();
    const { socket } = await joinAsConnected(event.id);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => socket.emitWithAck('joinEvent', event.id) as Promise<object>),
    );
    // The limit is twenty at once, and the connection used one of them. So one of the joins fails.
    expect(answers.filter((answer) => 'error' in answer)).toHaveLength(1);
  });

  it('an event at the connection counts as one of at most ten rooms', async () => {
    const events = await Promise.all(Array.from({ length: 11 }, () => book.event()));
    const [first, ...others] = events;
    const { socket } = await joinAsConnected(first?.id);
    const answers = [];
    for (const { id } of others) answers.push((await socket.emitWithAck('joinEvent', id)) as object);
    expect(answers.filter((answer) => 'joined' in answer)).toHaveLength(9);
    expect(answers.at(-1)).toMatchObject({ error: { statusCode: 409, code: 'TOO_MANY_ROOMS' } });
  });

  it('a refused connection joins no event: a bad token, a foreign origin or a long message', async () => {
    const event = await book.event();
    const badToken = await joinAsConnected(event.id, ['websocket'], { token: 'nonsense' });
    expect([badToken.answer, badToken.refusals.length]).toEqual([undefined, 1]);
    for (const transports of [['websocket'], ['polling']]) {
      const foreign = io(app.url, {
        transports,
        forceNew: true,
        reconnection: false,
        auth: { joinEvent: event.id },
        extraHeaders: { origin: 'https://foreign.example' },
      });
      open.push(foreign);
      const heard: string[] = [];
      foreign.onAny((topic: string) => heard.push(topic));
      await new Promise((resolve) => foreign.once('connect_error', resolve));
      expect([foreign.connected, heard]).toEqual([false, []]);
    }
    const long = io(app.url, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth: { joinEvent: event.id, more: 'x'.repeat(5_000) },
    });
    open.push(long);
    const connected: boolean[] = [];
    long.on('connect', () => connected.push(true));
    await new Promise((resolve) => long.io.once('close', resolve));
    expect(connected).toEqual([]);
  });
});
