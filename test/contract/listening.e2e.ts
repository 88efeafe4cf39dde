import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { io } from 'socket.io-client';
import { createApp } from '../../src/server/app.js';
import { listen } from '../../src/server/listen.js';
import { loadConfig } from '../../src/server/load-config.js';
import { NO_LIMITS, TEST_SECRETS } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { withOpened } from '../support/setup.js';

const BOTH = ['127.0.0.1', '[::1]'];
const database = withOpened(() => createTestDatabase());
let app: NestExpressApplication;
let warnings: string[];

const start = async (production: boolean, port = 0, host?: string) => {
  const config = loadConfig(
    { NODE_ENV: 'test', LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...TEST_SECRETS },
    { schedules: false, limits: { ...NO_LIMITS, perMinute: 5 } },
  );
  expect(config.host).toBeUndefined();
  app = await createApp(config);
  warnings = [];
  const warn = (line: unknown) => warnings.push(String(line));
  app.useLogger({ log: () => undefined, error: () => undefined, warn });
  await listen(app, { port, host, production });
  return (app.getHttpServer().address() as AddressInfo).port;
};
const live = async (host: string, port: number) => (await fetch(`http://${host}:${port}/health/live`)).status;

afterEach(async () => {
  Logger.overrideLogger(false);
  await app.close();
});

describe('a server without HOST', () => {
  it.each([
    ['production', true],
    ['development', false],
  ])(
    'a server without HOST in %s serves requests and sockets by IPv4 and IPv6 until it stops',
    async (_, production) => {
      const port = await start(production);
      for (const host of BOTH) {
        expect(await live(host, port)).toBe(200);
        const socket = io(`http://${host}:${port}`, { transports: ['websocket'] });
        await new Promise((resolve) => socket.once('connect', () => resolve(undefined)));
        socket.disconnect();
      }
      await app.close();
      for (const host of BOTH) await expect(live(host, port)).rejects.toThrow('fetch failed');
    },
  );

  it('an IPv4 client is counted by its IPv4 address, also on a socket for both families', async () => {
    const port = await start(true);
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/events/public`)).headers.get('ratelimit');
    expect(await ask()).toContain('r=4;');
    expect(await ask()).toContain('r=3;');
    const other = await fetch(`http://[::1]:${port}/events/public`);
    expect(other.headers.get('ratelimit')).toContain('r=4;');
  });

  it('a server in development starts and names its address if the IPv6 address is in use', async () => {
    const taken: Server = createServer().listen(0, '::1');
    await once(taken, 'listening');
    const port = await start(false, (taken.address() as AddressInfo).port);
    expect(await live('127.0.0.1', port)).toBe(200);
    expect(warnings).toEqual([expect.stringContaining(`use http://127.0.0.1:${port}`)]);
    taken.close();
  });
});

it('a server with HOST listens only on that address', async () => {
  const port = await start(true, 0, '127.0.0.1');
  expect(await live('127.0.0.1', port)).toBe(200);
  await expect(live('[::1]', port)).rejects.toThrow('fetch failed');
});
