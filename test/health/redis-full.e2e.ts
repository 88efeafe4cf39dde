import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { describeWithRedis, type RedisProcess, startRedis } from '../support/redis.js';
import { until } from '../support/until.js';

describeWithRedis('Redis without free memory', () => {
  let database: TestDatabase;
  let redis: RedisProcess | null;
  let server: ServerProcess;
  let operator: Redis;

  beforeAll(async () => {
    [database, redis] = [await createTestDatabase(), await startRedis()];
    operator = new Redis(redis?.url ?? '');
    server = await startServerProcess({ DATABASE_URL: database.url, REDIS_URL: redis?.url });
  });
  afterAll(async () => {
    operator.disconnect();
    await server.stop();
    await redis?.stop();
    await database.drop();
  });

  const health = async () => {
    const response = await fetch(`${server.url}/health`);
    return { status: response.status, body: (await response.json()) as object };
  };

  it('a full Redis is named in the log and down in /health; requests continue, and it is used again when it has memory', async () => {
    await until(async () => (await health()).status === 200, 'health');
    await operator.config('SET', 'maxmemory', '1');
    await until(async () => (await health()).status === 503, 'a health that notices');
    expect((await health()).body).toMatchObject({
      details: { redis: { status: 'down', message: 'is full (maxmemory)' } },
    });
    expect((await fetch(`${server.url}/events/public`)).status).toBe(200);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    await until(
      () => server.output().includes('rate limits are counted in this process'),
      'a line of the log',
    );
    expect(server.output()).toContain('Redis is full (maxmemory): rate limits are counted in this process');
    expect(server.output()).not.toContain('away');

    await operator.config('SET', 'maxmemory', '0');
    await until(async () => (await health()).status === 200, 'health');
  });
});
