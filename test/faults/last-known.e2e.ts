import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PublicHall, STALE_MS } from '../support/public-hall.js';
import { withOpened } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const hall = withOpened(() => PublicHall.open());

beforeEach(async () => {
  await hall.begin();
});

describe('public reads while the database does not answer', () => {
  beforeEach(async () => {
    await hall.readAll();
    await sleep(STALE_MS);
  });

  it.each([3_000, 8_500])(
    'public reads answer within 300 ms while the tables are locked for %d ms',
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

  it('public reads answer within 300 ms while the network drops every packet', async () => {
    hall.proxy.hang();
    try {
      await hall.expectPromptFor(3_000);
    } finally {
      await hall.proxy.mend();
    }
  }, 30_000);

  it('public reads answer within 300 ms while the database refuses connections', async () => {
    await hall.proxy.cut();
    try {
      await hall.expectPromptFor(2_500);
    } finally {
      await hall.proxy.mend();
    }
  }, 30_000);

  it('hundreds of readers and joining walls get answers at once while the tables are locked', async () => {
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

it('during three database stalls of 3 s each, no public read takes over 500 ms and no total decreases', async () => {
  const paths = hall.paths.slice(0, 4);
  await hall.readAll();
  const waits: { path: string; ms: number }[] = [];
  let isOver = false;
  const totalOf = (text: string): number => {
    const body = JSON.parse(text) as { totalRaised?: number } | { slug: string; totalRaised: number }[];
    const event = Array.isArray(body) ? body.find(({ slug }) => slug === hall.event.slug) : body;
    return event?.totalRaised ?? 0;
  };
  const keepReading = async (path: string) => {
    let total = 0;
    while (!isOver) {
      const { status, text, ms } = await hall.read(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(totalOf(text)).toBeGreaterThanOrEqual(total);
      total = totalOf(text);
      waits.push({ path, ms });
      await sleep(20);
    }
  };
  let recorded = 1;
  const keepRecording = async () => {
    while (!isOver) {
      await hall.record({ amount: 100 });
      recorded++;
    }
  };
  const guests = [...paths, ...paths].map(keepReading);
  const staff = [keepRecording(), keepRecording(), keepRecording()];
  for (let stall = 0; stall < 3; stall++) {
    await sleep(700);
    const unlock = await hall.lockTables();
    await sleep(3_000);
    await unlock();
  }
  isOver = true;
  await Promise.all([...guests, ...staff]);
  expect(waits.filter(({ ms }) => ms > 500)).toEqual([]);
  await sleep(STALE_MS);
  for (const path of paths.slice(0, 3))
    expect(totalOf((await hall.read(path)).text)).toBe(2_400 + 100 * recorded);
}, 30_000);
