import { afterEach, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { RedisService } from '../../src/redis/redis.service.js';
import { NO_LIMITS, startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createTestDatabase } from '../support/database.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';
import { describeWithRedis } from '../support/redis.js';
import { withOpened, withRedis } from '../support/setup.js';

const LIMITS = { ...NO_LIMITS, perMinute: 20 };

describeWithRedis('several processes with one Redis', () => {
  const redis = withRedis();
  const database = withOpened(() => createTestDatabase());
  let apps: TestApp[] = [];

  /** Two applications on one database and one Redis, as behind a balancer. */
  async function startTwo(): Promise<[TestApp, TestApp]> {
    const start = () =>
      startApp({ TRUST_PROXY: '1', REDIS_URL: redis.url }, { limits: LIMITS }, database.url);
    const [first, second] = [await start(), await start()];
    apps = [first, second];
    await connected();
    return [first, second];
  }
  const from = (address: string, request: Test) => request.set('X-Forwarded-For', address);
  const getPublic = (app: TestApp, address: string) => from(address, app.http.get('/events/public'));
  const guess = (app: TestApp, eventId: string, address: string, code = '9999999999') =>
    from(address, app.http.post('/auth/staff/login').send({ code, eventId }));
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  async function connected(): Promise<void> {
    while (!apps.every(({ app }) => app.get(RedisService).ready)) await pause(20);
  }

  afterEach(async () => {
    for (const app of apps) await app.close();
    apps = [];
  });

  it('two processes with one Redis count requests together', async () => {
    const [first, second] = await startTwo();
    for (let done = 0; done < 10; done++) {
      await getPublic(first, '10.3.0.1').expect(200);
      await getPublic(second, '10.3.0.1').expect(200);
    }
    await getPublic(first, '10.3.0.1').expect(429);
    const { headers } = await getPublic(second, '10.3.0.1').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('two processes slow down guesses together and recognize the same known terminals', async () => {
    const [first, second] = await startTwo();
    const admin = await adminToken(first);
    const event = await createEvent(first, admin);
    const { code } = await createStaff(first, admin, event.id);
    for (let failure = 1; failure <= 5; failure++) {
      await guess(failure % 2 ? first : second, event.id, '10.3.1.1').expect(401);
    }
    await guess(first, event.id, '10.3.1.1', code).expect(429);
    await guess(second, event.id, '10.3.1.1', code).expect(429);
    await guess(first, event.id, '10.3.1.2', code).expect(200);
    for (let address = 0; address < 40; address++) await guess(second, event.id, `10.3.2.${address}`);
    await guess(second, event.id, '10.3.1.3', code).expect(429);
    await guess(second, event.id, '10.3.1.2', code).expect(200);
  });

  it('a session ends in two processes at the same time', async () => {
    const [first, second] = await startTwo();
    const admin = await adminToken(first);
    const event = await createEvent(first, admin);
    const { token, id } = await createStaff(first, admin, event.id);
    const events = () => as(second, token).get('/events');
    await events().expect(200);
    await as(first, admin).delete(`/staff/${id}`).expect(200);
    // A process caches the state of a session for two seconds. This pause is shorter.
    await pause(200);
    await events().expect(401);
  });

  it('each process counts alone while Redis is down, and both count together afterwards', async () => {
    const [first, second] = await startTwo();
    await getPublic(first, '10.3.3.1').expect(200);
    await redis.kill();
    for (let done = 0; done < 20; done++) await getPublic(first, '10.3.3.2').expect(200);
    await getPublic(first, '10.3.3.2').expect(429);
    await getPublic(second, '10.3.3.2').expect(200);
    await redis.restart();
    await connected();
    // After a failure of Redis, a process does not use Redis for a second.
    await pause(1_100);
    await getPublic(first, '10.3.3.3').expect('RateLimit-Remaining', '19');
    await getPublic(second, '10.3.3.3').expect('RateLimit-Remaining', '18');
  });

  it('both processes answer without delay while Redis hangs', async () => {
    const [first] = await startTwo();
    await getPublic(first, '10.3.4.1').expect(200);
    redis.pause();
    try {
      await getPublic(first, '10.3.4.1').expect(200);
      const start = performance.now();
      for (let done = 0; done < 5; done++) await getPublic(first, '10.3.4.1').expect(200);
      expect(performance.now() - start).toBeLessThan(1_000);
    } finally {
      redis.resume();
    }
  });
});
