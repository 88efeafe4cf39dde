import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { TEST_SECRETS } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { describeWithRedis, freePort } from '../support/redis.js';
import { withOpened, withRedis } from '../support/setup.js';
import { until } from '../support/until.js';

const database = withOpened(() => createTestDatabase());
const proxy = withOpened(() => startCuttableProxy(database.url));
let child: ChildProcess | undefined;
let server: ServerProcess | undefined;

afterEach(async () => {
  child?.kill('SIGKILL');
  await server?.kill('SIGKILL');
});

function launch(environment: NodeJS.ProcessEnv) {
  const started = spawn(process.execPath, [resolve('dist/main.js')], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', LOG_LEVEL: 'info', ...TEST_SECRETS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  const printed = { text: '' };
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (text: Buffer) => (printed.text += text.toString()));
  return { printed, exited: once(started, 'exit') as Promise<[number | null]> };
}

describe('start without a database', () => {
  it('the start reports the missing database, waits, and continues when the database is available', async () => {
    await proxy.cut();
    const { printed } = launch({ DATABASE_URL: proxy.url, PORT: String(await freePort()) });
    await until(() => printed.text.includes('Waiting for the database, up to 60 s'), 'a line about it');
    await proxy.mend();
    await until(() => printed.text.includes('Listening on'), 'the start');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(printed.text).toContain(`Version ${version}. Listening on`);
  });

  it('the start fails after a while with one line that names the variable', async () => {
    const url = `postgresql://nobody@127.0.0.1:${await freePort()}/none`;
    const { printed, exited } = launch({ DATABASE_URL: url, DATABASE_WAIT_SECONDS: '2' });
    expect((await exited)[0]).toBe(1);
    expect(printed.text).toMatch(/^The database in DATABASE_URL is not usable: .*ECONNREFUSED.*$/m);
    expect(printed.text).not.toMatch(/^ +at /m);
  });

  it('the start does not wait for a database that does not exist', async () => {
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    const { printed, exited } = launch({ DATABASE_URL: url.href });
    expect((await exited)[0]).toBe(1);
    expect(printed.text).toMatch(/^The database in DATABASE_URL is not usable: .*no_such_database.*$/m);
  });
});

it('libraries print their debug output if the operator enabled it', async () => {
  const environment = {
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
    DEBUG: 'socket.io:server',
  };
  const { printed } = launch(environment);
  await until(() => printed.text.includes('Listening on'), 'the start');
  expect(printed.text).toContain('socket.io:server creating engine.io instance');
});

describe('start on an unavailable address', () => {
  it.each([
    ['PORT', (port: string) => ({ PORT: port })],
    ['METRICS_PORT', (port: string) => ({ PORT: '0', METRICS_PORT: port })],
  ])('the start reports in one line that another program uses its %s', async (_variable, settings) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { printed, exited } = launch({
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      ...settings(String(port)),
    });
    const [code] = await exited;
    other.close();
    expect(code).toBe(1);
    // The log and the message use different streams. So either of them may arrive first.
    expect(printed.text).toMatch(
      new RegExp(
        `^Cannot listen at 127\\.0\\.0\\.1 port ${port}: another program is listening there\\.`,
        'm',
      ),
    );
    expect(printed.text).not.toMatch(/^ +at /m);
  });

  it.each([
    ['192.0.2.1', 'this machine has no such address'],
    ['no-such-host.invalid', 'this host name is unknown'],
  ])('the start explains the invalid HOST=%s', async (host, meaning) => {
    const { printed, exited } = launch({ DATABASE_URL: database.url, HOST: host, PORT: '0' });
    expect((await exited)[0]).toBe(1);
    expect(printed.text).toMatch(new RegExp(`^Cannot listen at ${host}.*: ${meaning}\\.`, 'm'));
    expect(printed.text).not.toMatch(/^ +at /m);
  });
});

describeWithRedis('a server with all optional services', () => {
  const redis = withRedis();

  it('the start with optional services uses Redis and both payment providers', async () => {
    server = await startServerProcess({
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      PUBLIC_URL: 'https://give.example.org',
      STRIPE_SECRET_KEY: 'sk_test_of_a_start',
      STRIPE_WEBHOOK_SECRET: 'whsec_of_a_start',
      PAYPAL_CLIENT_ID: 'client-of-a-start',
      PAYPAL_CLIENT_SECRET: 'secret-of-a-start',
      PAYPAL_WEBHOOK_ID: 'webhook-of-a-start',
    });
    const health = await fetch(`${server.url}/health`);
    const { info } = (await health.json()) as { info: Record<string, object> };
    // Without Redis, the health answer would say that the process itself counts requests.
    expect(info.redis).toEqual({ status: 'up' });
    for (const [path, headers] of [
      ['cardprocessor', { 'cardprocessor-signature': 't=1,v1=00' }],
      ['wallet', { 'paypal-transmission-id': 'x' }],
    ] as const) {
      const { status } = await fetch(`${server.url}/donations/${path}/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"id":"evt_1"}',
      });
      // A disabled provider would answer 503.
      expect([path, status]).toEqual([path, 400]);
    }
  });
});

describe('a server behind a proxy that TRUST_PROXY does not name', () => {
  const ask = async () => {
    for (let n = 0; n < 3; n++)
      await fetch(`${server?.url}/health/live`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  };
  const warnings = () =>
    server?.output().match(/TRUST_PROXY is off, but requests come through a proxy/g) ?? [];

  it('the server warns once that all clients behind an unlisted proxy share one rate limit', async () => {
    server = await startServerProcess({ DATABASE_URL: database.url });
    await ask();
    await until(() => warnings().length > 0, 'a warning');
    expect(warnings()).toHaveLength(1);
  });

  it('the server prints no warning if TRUST_PROXY names the proxy', async () => {
    server = await startServerProcess({ DATABASE_URL: database.url, TRUST_PROXY: '1' });
    await ask();
    await server.stop();
    expect(warnings()).toHaveLength(0);
  });
});
