import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { NO_LIMITS, startApp, type TestApp } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { withOpened } from '../support/setup.js';

const LIMIT = 5;
const database = withOpened(() => createTestDatabase());
let app: TestApp;
let warnings: string[] = [];

const start = async (trustProxy: string) => {
  app = await startApp(
    { TRUST_PROXY: trustProxy },
    { limits: { ...NO_LIMITS, perMinute: LIMIT } },
    database.url,
  );
  warnings = [];
  app.app.useLogger({
    log: () => undefined,
    error: () => undefined,
    warn: (line: unknown) => warnings.push(String(line)),
  });
};
const ask = async (forwarded: string, path = '/events/public') =>
  (await app.http.get(path).set('X-Forwarded-For', forwarded)).status;
const statuses = async (forwarded: readonly string[]) => {
  const all: number[] = [];
  for (const each of forwarded) all.push(await ask(each));
  return all;
};
const times = (count: number, status: number) => Array<number>(count).fill(status);
const spent = [...times(LIMIT, 200), 429];

afterEach(async () => {
  Logger.overrideLogger(false);
  await app.close();
});

describe('X-Forwarded-For with ports', () => {
  it.each([
    ['IPv4', (port: number) => `203.0.113.7:${port}`, '203.0.113.8:443', '203.0.113.7'],
    ['IPv6', (port: number) => `[2001:db8:1:2::7]:${port}`, '[2001:db8:1:3::7]:443', '2001:db8:1:2::8'],
  ])(
    'an %s client is counted by its address without the port, and other clients separately',
    async (_, client, other, without) => {
      await start('1');
      const ports = Array.from({ length: LIMIT + 1 }, (_unused, index) => client(56_000 + index));
      expect(await statuses(ports)).toEqual(spent);
      expect(await ask(without)).toBe(429);
      expect(await ask(other)).toBe(200);
      expect(warnings).toEqual([]);
    },
  );

  it('trusted proxies in X-Forwarded-For are recognized by their networks', async () => {
    await start('127.0.0.0/8,10.0.0.0/8,2001:db8:ffff::/48');
    const chain = (client: string) => `6.6.6.6, ${client}:5000, [2001:db8:ffff::1]:443, 10.0.0.3:8443`;
    expect(await statuses(times(LIMIT + 1, 0).map(() => chain('203.0.113.9')))).toEqual(spent);
    expect(await ask(chain('203.0.113.10'))).toBe(200);
  });
});

describe('X-Forwarded-For without an address for the client', () => {
  it('a missing client address is logged once, and the nearest proxy with an address is counted', async () => {
    await start('2');
    expect(await statuses(['unknown', 'unknown, 10.0.0.1', '_hidden, 10.0.0.1'])).toEqual(times(3, 200));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^X-Forwarded-For contains no client address/);
    // The service limits each proxy separately. Clients of two proxies do not share one limit.
    expect(await statuses(times(LIMIT - 1, 0).map(() => 'unknown, 10.0.0.1'))).toEqual([
      ...times(LIMIT - 2, 200),
      429,
    ]);
    expect(await ask('unknown, 10.0.0.2')).toBe(200);
  });

  it('an invalid entry that the client wrote before the proxies is not logged', async () => {
    await start('1');
    expect(await statuses(['nonsense, 203.0.113.7', '203.0.113.7'])).toEqual([200, 200]);
    expect(warnings).toEqual([]);
  });

  it('X-Forwarded-For is not read without a trusted proxy', async () => {
    await start('false');
    expect(await statuses(times(LIMIT + 1, 0).map((_, index) => `203.0.113.${index}:50`))).toEqual(spent);
  });
});
