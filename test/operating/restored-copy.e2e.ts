import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { adminToken, createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { describeWithRedis, type RedisProcess, startRedis } from '../support/redis.js';
import { WallClient } from '../support/wall-client.js';

/** A copy of the database, restored next to the original, on the same Redis. */
describeWithRedis('a restored copy that shares its Redis with the original', () => {
  let redis: RedisProcess;
  let original: TestApp;
  let copy: TestApp;
  let event: EventFixture;
  let token: string;

  beforeAll(async () => {
    const started = await startRedis();
    if (!started) throw new Error('Redis is not available');
    redis = started;
    [original, copy] = await Promise.all([
      startApp({ REDIS_URL: redis.url }),
      startApp({ REDIS_URL: redis.url }),
    ]);
    event = await createEvent(original, await adminToken(original));
    token = await adminToken(copy);
    // Both databases contain the same event, as after a restore.
    await sql(copy, 'INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ($1, $2, $3, 1, $4)', [
      event.id,
      event.slug,
      'Summer Gala',
      event.currency,
    ]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([original.close(), copy.close()]);
    await redis.stop();
  });

  const record = (app: TestApp, access: string) =>
    as(app, access).post('/donations', { amount: 100, type: 'cash', eventId: event.id }).expect(201);

  it('a restored copy sends nothing to the walls of the original', async () => {
    const walls = await Promise.all([WallClient.connect(original.url), WallClient.connect(copy.url)]);
    for (const wall of walls) await wall.join(event.id);
    await record(copy, token);
    await walls[1].until(() => walls[1].created.length === 1);
    await sleep(500);
    expect(walls[0].created).toEqual([]);
    for (const wall of walls) wall.close();
  });
});
