import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { Database, type Statement } from '../../src/data/database.js';
import { WebSocket } from 'ws';
import { AddressBudgets } from '../../src/gateway/address-limits.js';
import { WallControls } from '../../src/gateway/wall-controls.js';
import { startApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';
import { withService } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const app = withService(() => startApp({ TRUST_PROXY: '1' }));
const book = new DonationBook(app);

describe('the script of the live client', () => {
  it('the script of the live client is sent compressed from memory, and no other file of the library is served', async () => {
    const { headers } = await app.http
      .get('/socket.io/socket.io.esm.min.js')
      .set('Accept-Encoding', 'br')
      .buffer(false)
      .expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
    });
    for (const file of ['socket.io.js', 'socket.io.js.map', 'socket.io.min.js', 'socket.io.msgpack.min.js'])
      await app.http.get(`/socket.io/${file}`).expect(400);
  });
});

describe('handshakes of one address', () => {
  const polling = (address: string) =>
    app.http.get('/socket.io/?EIO=4&transport=polling').set('X-Forwarded-For', address);
  const upgrade = (address: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(new URL('/socket.io/?EIO=4&transport=websocket', app.url), {
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version': '13',
          'X-Forwarded-For': address,
        },
      });
      asked.on('upgrade', (response, socket) => {
        socket.destroy();
        resolve(response.statusCode);
      });
      asked.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end();
    });

  it('handshakes of one address are limited on both transports, and other addresses are not affected', async () => {
    const statuses: number[] = [];
    for (let batch = 0; batch < 30; batch++)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 50 }, () => polling('203.0.113.7')))).map(
          ({ status }) => status,
        ),
      );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const refused = await polling('203.0.113.7');
    // The limit allows one more handshake each tenth of a second. So the service refuses most handshakes of a flood.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100);
    if (refused.status === 429) {
      expect(refused.headers['retry-after']).toBe('60');
      expect(refused.body).toMatchObject({
        statusCode: 429,
        error: 'Too Many Requests',
        code: 'RATE_LIMITED',
      });
    }
    const upgrades = await Promise.all(Array.from({ length: 40 }, () => upgrade('203.0.113.7')));
    expect(upgrades).toContain(429);
    expect((await polling('203.0.113.8')).status).toBe(200);
    expect(await upgrade('203.0.113.8')).toBe(101);
  });
});

describe('a connection that sends without end', () => {
  it.each<[string, (socket: WebSocket) => void]>([
    ['unexpected acknowledgements', (socket) => socket.send('43999[]')],
    ['connections to an unknown namespace', (socket) => socket.send('40/nowhere,')],
    ['heartbeats', (socket) => socket.send('3')],
    ['websocket pings', (socket) => socket.ping()],
    ['websocket pongs', (socket) => socket.pong()],
    ['message fragments', (socket) => socket.send('', { fin: false })],
  ])('a connection that floods with %s is closed', async (_, send) => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    await once(socket, 'message');
    socket.send('40');
    await once(socket, 'message');
    // From this point, the socket has the normal time limit of a wall.
    socket.on('message', (sent: Buffer) => {
      if (sent.toString() === '2') socket.send('3');
    });
    for (let sent = 0; sent < 2_000; sent++) send(socket);
    await closed;
  });
});

describe('many sockets that join at once', () => {
  /** Counts the statements of sockets, and how many of them run at the same time. */
  function watched(): { names: string[]; most: () => number; stop: () => void } {
    const database = app.app.get(Database);
    const names: string[] = [];
    let [running, most] = [0, 0];
    const original = database.query.bind(database);
    database.query = async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      names.push(statement.name);
      most = Math.max(most, ++running);
      try {
        return await original<Row>(statement, values);
      } finally {
        running--;
      }
    };
    const stop = () => {
      delete (database as Partial<Database>).query;
    };
    return { names, most: () => most, stop };
  }

  it('many joining sockets share one snapshot of an event and use at most five connections', async () => {
    const event = await book.event();
    await book.give(event.id);
    const walls = await Promise.all(
      Array.from({ length: 30 }, () =>
        WallClient.connect(app.url, { extraHeaders: { 'X-Forwarded-For': '203.0.113.20' } }),
      ),
    );
    const { names, most, stop } = watched();
    try {
      const answers = await Promise.all(
        walls.flatMap((wall) => [1, 2, 3].map(() => wall.join({ eventId: event.id, snapshot: true }))),
      );
      for (const answer of answers)
        expect(answer).toMatchObject({ joined: true, snapshot: { totalRaised: 2500 } });
      expect(names.filter((name) => name.startsWith('live_newest')).length).toBeLessThanOrEqual(3);

      await Promise.all(
        walls.flatMap((wall, at) => [1, 2, 3, 4].map((one) => wall.join(`no-such-event-${at}-${one}`))),
      );
      expect(most()).toBeLessThanOrEqual(5);
    } finally {
      stop();
      for (const wall of walls) wall.close();
    }
  });

  it('only a few sockets join at a time, and addresses with few requests come first', async () => {
    const event = await book.event();
    await book.give(event.id);
    const [many, few] = ['203.0.113.50', '203.0.113.51'];
    const from = (address: string) =>
      WallClient.connect(app.url, { extraHeaders: { 'X-Forwarded-For': address } });
    const flood = await Promise.all(Array.from({ length: 20 }, () => from(many)));
    const honest = await from(few);
    // The flood has made earlier requests, which distinguish it from the honest wall.
    await Promise.all(flood.flatMap((wall) => [1, 2, 3, 4].map(() => wall.join(event.id))));
    const budgets = app.app.get(AddressBudgets);
    const taken: Record<string, number> = {};
    const of = budgets.of.bind(budgets);
    budgets.of = (kind, ip) => {
      taken[ip ?? ''] = (taken[ip ?? ''] ?? 0) + 1;
      return of(kind, ip);
    };
    const database = app.app.get(Database);
    const query = database.query.bind(database);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    database.query = async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      if (statement.name === 'live_missed') await held;
      return await query<Row>(statement, values);
    };
    try {
      const answered: string[] = [];
      const joined = (wall: WallClient, address: string) =>
        // The server must read the missed messages of this socket, so the socket waits in the queue.
        wall.join({ eventId: event.id, since: 0 }).then((answer) => {
          expect(answer).toMatchObject({ joined: true });
          answered.push(address);
        });
      const all = flood.flatMap((wall) => Array.from({ length: 10 }, () => joined(wall, many)));
      await until(() => taken[many] === 200);
      all.push(joined(honest, few));
      await until(() => taken[few] === 1);
      release();
      await Promise.all(all);
      // The honest wall is answered after the joins that had already started, and before the hundred and fifty joins in the
      // queue.
      expect(answered.indexOf(few)).toBeLessThan(100);
    } finally {
      release();
      delete (database as Partial<Database>).query;
      delete (budgets as Partial<AddressBudgets>).of;
      for (const wall of [...flood, honest]) wall.close();
    }
  });

  it('joins that need no database read are answered in small groups', async () => {
    const event = await book.event();
    const walls = await Promise.all(Array.from({ length: 14 }, () => WallClient.connect(app.url)));
    await Promise.all(walls.map((wall) => wall.join(event.id)));
    // Each answer reads the wall control of the event when it is sent.
    const controls = app.app.get(WallControls);
    const now = controls.now.bind(controls);
    let [inTurn, most, all] = [0, 0, 0];
    controls.now = (eventId) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, ++inTurn);
      all++;
      return now(eventId);
    };
    try {
      const answers = await Promise.all(
        walls.flatMap((wall) => Array.from({ length: 18 }, () => wall.join(event.id))),
      );
      expect(answers.every(({ joined }) => joined === true)).toBe(true);
      expect(all).toBe(14 * 18);
      expect(most).toBeLessThanOrEqual(48);
    } finally {
      delete (controls as Partial<WallControls>).now;
      for (const wall of walls) wall.close();
    }
  });

  it('joins have one budget per address, and other addresses are answered', async () => {
    const event = await book.event();
    const from = (address: string) =>
      WallClient.connect(app.url, { extraHeaders: { 'X-Forwarded-For': address } });
    const flood = await Promise.all(Array.from({ length: 80 }, () => from('203.0.113.30')));
    const honest = await from('203.0.113.31');
    try {
      const answers = await Promise.all(
        flood.flatMap((wall) => Array.from({ length: 20 }, () => wall.join(event.id))),
      );
      const refused = answers.filter(({ error }) => error?.statusCode === 429);
      expect(refused.length).toBeGreaterThan(100);
      expect(await honest.join(event.id)).toMatchObject({ joined: true });
    } finally {
      for (const wall of [...flood, honest]) wall.close();
    }
  });
});
