import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createTestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';
import { describeWithRedis } from '../support/redis.js';
import { withOpened, withRedis } from '../support/setup.js';
import { until } from '../support/until.js';

describeWithRedis('Redis without free memory', () => {
  const database = withOpened(() => createTestDatabase());
  const redis = withRedis();
  const server = withOpened(() => startServerProcess({ DATABASE_URL: database.url, REDIS_URL: redis.url }));
  const operator = withOpened(() => {
    const client = new Redis(redis.url);
    return Object.assign(client, { stop: () => client.disconnect() });
  });

  const health = async () => {
    const response = await fetch(`${server.url}/health`);
    return { status: response.status, body: (await response.json()) as object };
  };

  it('the log and /health report a full Redis; requests continue, and the service uses Redis again when it has memory', async () => {
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
