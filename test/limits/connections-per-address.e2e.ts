import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/server/load-config.js';
import { NO_LIMITS, startApp, type TestApp, TEST_SECRETS } from '../support/app.js';
import { createEvent, adminToken } from '../support/fixtures.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const MOST = 20;
const bounded = { limits: { ...NO_LIMITS, trustedFactor: 3 }, connectionsPerAddress: MOST };

describe('connections of one address', () => {
  let app: TestApp;
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  /** Connects and sends a request. Returns true if the server answered. */
  async function isServed(localAddress = '127.0.0.1'): Promise<boolean> {
    const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return String(answer[0]).startsWith('HTTP/1.1 200');
  }
  async function served(count: number, localAddress?: string): Promise<number> {
    let answered = 0;
    for (let one = 0; one < count; one++) if (await isServed(localAddress)) answered += 1;
    return answered;
  }

  it('connections are limited per address and can be opened again when others end', async () => {
    app = await startApp({}, bounded);
    expect(await served(MOST + 5)).toBe(MOST);
    expect(await isServed('127.0.0.2')).toBe(true);
    sockets[0]?.destroy();
    await until(() => isServed(), 'room for another connection');
  });

  it('the limit of connections is higher for the address of a venue', async () => {
    app = await startApp({ TRUSTED_NETWORKS: '127.0.0.2/32' }, bounded);
    expect(await served(MOST * 3 + 5, '127.0.0.2')).toBe(MOST * 3);
  });

  it.each(['1', 'loopback', '127.0.0.1/32'])(
    'connections of a trusted proxy are not limited (TRUST_PROXY=%s)',
    async (TRUST_PROXY) => {
      app = await startApp({ TRUST_PROXY }, bounded);
      expect(await served(MOST + 5)).toBe(MOST + 5);
    },
  );

  it('sockets are limited per client behind a trusted proxy', async () => {
    app = await startApp({ TRUST_PROXY: '1' }, { ...bounded, connectionsPerAddress: 5 });
    const { slug } = await createEvent(app, await adminToken(app));
    const walls: WallClient[] = [];
    const open = async (address: string) => {
      walls.push(await WallClient.connect(app.url, { extraHeaders: { 'X-Forwarded-For': address } }));
    };
    try {
      for (let wall = 0; wall < 5; wall++) await open('203.0.113.7');
      await expect(open('203.0.113.7')).rejects.toThrow();
      await open('203.0.113.8');
      expect(await walls[5]?.join(slug)).toMatchObject({ joined: true });
      walls[0]?.close();
      await until(
        () =>
          open('203.0.113.7').then(
            () => true,
            () => false,
          ),
        'room for another socket',
      );
    } finally {
      for (const wall of walls) wall.close();
    }
  });

  it('the default limit is enough for five hundred phones with six connections each, and for the terminals', async () => {
    const usual = loadConfig({
      NODE_ENV: 'test',
      DATABASE_URL: 'postgresql://db/x',
      ...TEST_SECRETS,
    });
    expect(usual.connectionsPerAddress).toBeGreaterThanOrEqual(500 * 6 + 100);
    app = await startApp();
    expect(await served(700)).toBe(700);
  }, 30_000);
});
