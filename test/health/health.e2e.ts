import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../src/data/database.js';
import { startApp, type TestApp } from '../support/app.js';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { createTestDatabase } from '../support/database.js';
import { describeWithRedis } from '../support/redis.js';
import { withOpened, withRedis, withService } from '../support/setup.js';
import { until } from '../support/until.js';

/** Longer than the time for which probes share one result. */
const PAST_SHARING_MS = 1_100;

/** Repeats the request until this status arrives, because the server notices a closed connection with a delay. */
async function untilStatus(app: TestApp, path: string, status: number): Promise<Record<string, unknown>> {
  let body: Record<string, unknown> = {};
  await until(async () => {
    const answer = await app.http.get(path);
    body = answer.body as Record<string, unknown>;
    return answer.status === status;
  }, `${path} ${status}`);
  return body;
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

describe('health routes without Redis', () => {
  const app = withService();

  it('GET /health is ok with database, memory_heap and redis up, and names the in-process cache', async () => {
    const { body, headers } = await app.http.get('/health').expect(200);
    expect(body).toEqual({
      status: 'ok',
      info: {
        database: { status: 'up' },
        memory_heap: { status: 'up' },
        redis: { status: 'up', mode: 'in-process' },
      },
      error: {},
      details: {
        database: { status: 'up' },
        memory_heap: { status: 'up' },
        redis: { status: 'up', mode: 'in-process' },
      },
      version,
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('a hundred simultaneous probes query the database once', async () => {
    await delay(PAST_SHARING_MS);
    const { pool } = app.app.get(Database);
    let queries = 0;
    const count = () => queries++;
    pool.on('acquire', count);
    const began = performance.now();
    await Promise.all(Array.from({ length: 100 }, () => app.http.get('/health').expect(200)));
    pool.off('acquire', count);
    // All probes of one second share the two queries. On a slow machine, a hundred probes take longer than a second.
    const rounds = 1 + Math.floor((performance.now() - began) / 1_000);
    expect(queries).toBeLessThanOrEqual(2 * rounds);
  });

  it('GET /health/live is ok', async () => {
    const { body } = await app.http.get('/health/live').expect(200);
    expect(body).toEqual({ status: 'ok' });
  });

  it('GET /health/ready is ok and checks only the database', async () => {
    const { body } = await app.http.get('/health/ready').expect(200);
    expect(body).toMatchObject({ status: 'ok', info: { database: { status: 'up' } } });
    expect(Object.keys((body as { info: object }).info)).toEqual(['database']);
    expect(body).not.toHaveProperty('version');
  });
});

describe('health routes during a database outage', () => {
  const database = withOpened(() => createTestDatabase());
  const proxy = withOpened(() => startCuttableProxy(database.url));
  const app = withService(() => startApp({}, {}, proxy.url));

  afterEach(async () => {
    await proxy.mend();
    await untilStatus(app, '/health', 200);
  });

  it('/health and /health/ready answer 503 with the error body and recover without a restart', async () => {
    await proxy.cut();
    const body = await untilStatus(app, '/health', 503);
    expect(body).toEqual({
      statusCode: 503,
      message: 'Down: database',
      error: 'Service Unavailable',
      code: 'UNHEALTHY',
      status: 'error',
      info: { memory_heap: { status: 'up' }, redis: { status: 'up', mode: 'in-process' } },
      details: {
        database: { status: 'down', message: 'unreachable' },
        memory_heap: { status: 'up' },
        redis: { status: 'up', mode: 'in-process' },
      },
      version,
    });
    expect(await untilStatus(app, '/health/ready', 503)).toMatchObject({
      statusCode: 503,
      message: 'Down: database',
    });
    await app.http.get('/health/live').expect(200);
    await proxy.mend();
    await untilStatus(app, '/health', 200);
    await untilStatus(app, '/health/ready', 200);
  });

  it('other routes that need the database answer 503 with Retry-After and no details', async () => {
    await proxy.cut();
    const { body, headers } = await app.http.get('/events/public').expect(503);
    expect(body).toEqual({
      statusCode: 503,
      message: 'The service is not available at the moment',
      error: 'Service Unavailable',
      code: 'DEPENDENCY_UNAVAILABLE',
    });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  it('GET /health answers within seconds while the database hangs', async () => {
    proxy.hang();
    await delay(PAST_SHARING_MS);
    const started = performance.now();
    await app.http.get('/health').expect(503);
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});

describeWithRedis('health routes with Redis', () => {
  const redis = withRedis();
  const app = withService(() => startApp({ REDIS_URL: redis.url }));

  it('GET /health is 503 while Redis is down and ok afterwards; GET /health/ready stays ok', async () => {
    const up = await untilStatus(app, '/health', 200);
    expect(up).toMatchObject({ status: 'ok', info: { redis: { status: 'up' } } });
    expect((up.info as { redis: object }).redis).toEqual({ status: 'up' });
    await redis.kill();
    const down = await untilStatus(app, '/health', 503);
    expect(down).toMatchObject({
      statusCode: 503,
      error: 'Service Unavailable',
      message: 'Down: redis',
      details: { redis: { status: 'down', message: 'unreachable' } },
    });
    await app.http.get('/health/ready').expect(200);
    await redis.restart();
    await untilStatus(app, '/health', 200);
  });
});
