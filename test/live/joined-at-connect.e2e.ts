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

describe('a client that names an event as it connects', () => {
  const app = withService(() => startApp({ CORS_ORIGINS: 'https://wall.example' }));
  const book = new DonationBook(app);
  const open: Socket[] = [];

  /** Connects, and resolves with all that was heard up to the answer. */
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
    'is answered as joinEvent answers, followed by the totals, and listens from then on (%j)',
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

  it('is sent what it missed before the answer, each once, whether or not others joined before', async () => {
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

  it('starts from a snapshot where it asks for one or is ahead of the feed', async () => {
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

  it('loses nothing while donations come, however many connect at that time', async () => {
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
      // Up to the answer's place all came before it; what is behind it came by itself.
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

  it('is refused as joinEvent refuses, stays connected, and counts as one request', async () => {
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
    // Twenty at once: one of them was the connection's.
    expect(answers.filter((answer) => 'error' in answer)).toHaveLength(1);
  });

  it('is one of at most ten rooms', async () => {
    const events = await Promise.all(Array.from({ length: 11 }, () => book.event()));
    const [first, ...others] = events;
    const { socket } = await joinAsConnected(first?.id);
    const answers = [];
    for (const { id } of others) answers.push((await socket.emitWithAck('joinEvent', id)) as object);
    expect(answers.filter((answer) => 'joined' in answer)).toHaveLength(9);
    expect(answers.at(-1)).toMatchObject({ error: { statusCode: 409, code: 'TOO_MANY_ROOMS' } });
  });

  it('joins nothing where the connection itself is refused: a bad token, a foreign origin, too long a message', async () => {
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
