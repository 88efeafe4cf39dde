import { beforeAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp } from '../support/app.js';
import { sql } from '../support/fixtures.js';
import { describeWithRedis } from '../support/redis.js';
import { WallClient } from '../support/wall-client.js';
import { withRedis, withEvent, withService, withAdmin } from '../support/setup.js';

/** A copy of the database, restored next to the original. Both use the same Redis. */
describeWithRedis('a restored copy that shares its Redis with the original', () => {
  const redis = withRedis();
  const start = () => startApp({ REDIS_URL: redis.url });
  const { app: original, event } = withEvent({ start });
  const copy = withService(start);
  const admin = withAdmin(copy);

  beforeAll(async () => {
    // Both databases contain the same event, as after a restore.
    await sql(copy, 'INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ($1, $2, $3, 1, $4)', [
      event.id,
      event.slug,
      'Summer Gala',
      event.currency,
    ]);
  });

  it('a restored copy sends nothing to the walls of the original', async () => {
    const walls = await Promise.all([WallClient.connect(original.url), WallClient.connect(copy.url)]);
    for (const wall of walls) await wall.join(event.id);
    await admin.post('/donations', { amount: 100, type: 'cash', eventId: event.id }).expect(201);
    await walls[1].until(() => walls[1].created.length === 1);
    await sleep(500);
    expect(walls[0].created).toEqual([]);
    for (const wall of walls) wall.close();
  });
});
