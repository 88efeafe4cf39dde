import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PublicHall, STALE_MS } from '../support/public-hall.js';
import { withOpened } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const hall = withOpened(() => PublicHall.open());

beforeEach(async () => {
  await hall.begin();
});

describe('while the database does not answer and nothing has changed, public reads answer within 300 ms', () => {
  beforeEach(async () => {
    await hall.readAll();
    await sleep(STALE_MS);
  });

  it.each([3_000, 8_500])(
    'with the tables locked for %d ms',
    async (milliseconds) => {
      const unlock = await hall.lockTables();
      try {
        await hall.expectPromptFor(milliseconds);
      } finally {
        await unlock();
      }
      await sleep(STALE_MS);
      for (const { path, age } of await hall.readAll()) expect({ path, age }).toEqual({ path, age: null });
    },
    30_000,
  );

  it('with a network that swallows every packet', async () => {
    hall.proxy.hang();
    try {
      await hall.expectPromptFor(3_000);
    } finally {
      await hall.proxy.mend();
    }
  }, 30_000);

  it('with a database that refuses connections', async () => {
    await hall.proxy.cut();
    try {
      await hall.expectPromptFor(2_500);
    } finally {
      await hall.proxy.mend();
    }
  }, 30_000);

  it('to hundreds of readers and joining walls at once', async () => {
    const unlock = await hall.lockTables();
    try {
      await hall.readAll();
      const began = performance.now();
      await Promise.all(
        Array.from({ length: 40 }, async () => {
          for (const path of hall.paths) expect((await hall.read(path)).status).toBe(200);
        }),
      );
      const walls = await Promise.all(Array.from({ length: 100 }, () => WallClient.connect(hall.app.url)));
      const joined = await Promise.all(
        walls.map((wall) => wall.join({ eventId: hall.event.slug, snapshot: true })),
      );
      for (const wall of walls) wall.close();
      expect(joined.every(({ error }) => error === undefined)).toBe(true);
      expect(performance.now() - began).toBeLessThan(6_000);
    } finally {
      await unlock();
    }
  }, 30_000);
});
