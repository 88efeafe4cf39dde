import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UNPUBLISHED } from '../../src/outbox/outbox.sql.js';
import { type Balancer, startBalancer } from '../support/balancer.js';
import { createTestDatabase } from '../support/database.js';
import { DonationBook } from '../support/donations.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { describeWithRedis } from '../support/redis.js';
import { withOpened, withRedis } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const sequences = (wall: WallClient) => wall.donations.map(({ body }) => body.sequence);
/** A long time, because processes start slowly on a busy machine. */
const SLOW = 60_000;
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describeWithRedis('two servers behind a balancer', () => {
  const database = withOpened(() => createTestDatabase());
  const redis = withRedis();
  const book = new DonationBook({
    get databaseUrl() {
      return database.url;
    },
  });
  let balancer: Balancer;
  const walls: WallClient[] = [];

  const start = () => startServerProcess({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  const servers = withOpened(async () => {
    const both = await Promise.all([start(), start()]);
    return Object.assign(both, { stop: () => Promise.all(both.map((server) => server.stop())) });
  });
  const watch = async (url: string, eventId: string) => {
    const wall = await WallClient.connect(url);
    walls.push(wall);
    expect(await wall.join(eventId)).toMatchObject({ joined: true });
    return wall;
  };
  /** Returns the process that runs the relay: its database session holds the lock. */
  const leader = async (): Promise<ServerProcess> => {
    const [holder] = await book.query<{ name: string }>(
      `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()`,
    );
    const found = servers.find(({ child }) => holder?.name === `donations-relay ${child.pid ?? 0}`);
    if (!found) throw new Error('no server is the relay leader');
    return found;
  };

  beforeEach(async () => {
    // Restarts the processes that the previous test killed.
    for (const [index, { child }] of servers.entries())
      if (child.exitCode !== null || child.signalCode !== null) servers[index] = await start();
    balancer = await startBalancer(servers.map(({ url }) => url));
  }, SLOW);
  afterEach(async () => {
    for (const wall of walls.splice(0)) wall.close();
    await balancer.close();
  });

  /** Waits until the relay has marked all messages as published, which happens shortly after they reach the walls. */
  const allPublished = () =>
    until(async () => {
      return (await book.query(UNPUBLISHED)).length === 0;
    }, 'every feed to be marked');

  it('walls on both servers receive every donation once, in order', async () => {
    const event = await book.event();
    const all = await Promise.all(numbers(6).map(() => watch(balancer.url, event.id)));
    await Promise.all(numbers(100).map(() => book.give(event.id)));
    for (const wall of all) await wall.until(() => wall.donations.length >= 100);
    await sleep(200);
    for (const wall of all) expect(sequences(wall)).toEqual(numbers(100));
    const [first, second] = all;
    expect(first?.donations.map(({ body }) => body.id)).toEqual(second?.donations.map(({ body }) => body.id));
  });

  it('donations reach the walls within 250 ms at the median', async () => {
    const event = await book.event();
    const wall = await watch(balancer.url, event.id);
    const latencies: number[] = [];
    for (let count = 1; count <= 30; count++) {
      await book.give(event.id);
      const committed = performance.now();
      await wall.until(() => wall.donations.length === count);
      latencies.push((wall.donations.at(-1)?.at ?? Infinity) - committed);
      await sleep(20);
    }
    latencies.sort((a, b) => a - b);
    expect(latencies[15]).toBeLessThan(250);
  });

  it('no donation is lost when the leader is killed between commit and emit: the other server takes over', async () => {
    const event = await book.event();
    const leads = await leader();
    const follows = servers.find((server) => server !== leads);
    const wall = await watch(follows?.url ?? '', event.id);
    await book.give(event.id);
    await wall.until(() => wall.donations.length === 1);
    await allPublished();

    // The stopped leader keeps its lock, so no process broadcasts the next commits.
    leads.child.kill('SIGSTOP');
    for (let count = 0; count < 20; count++) await book.give(event.id);
    await sleep(300);
    expect(wall.donations).toHaveLength(1);
    await leads.kill('SIGKILL');
    await wall.until(() => wall.donations.length >= 21);
    await sleep(200);
    expect(sequences(wall)).toEqual(numbers(21));
  });

  it('numbered messages that were perhaps not broadcast are sent again, and clients count them once', async () => {
    const event = await book.event();
    const wall = await watch(balancer.url, event.id);
    for (let count = 0; count < 3; count++) await book.give(event.id);
    await wall.until(() => wall.donations.length === 3);
    // Creates the state after a crash: the second and third message have numbers but are not marked as published.
    await (await leader()).kill('SIGKILL');
    await book.query('UPDATE event_feed SET published_sequence = 1 WHERE event_id = $1', [event.id]);
    const again = await watch(balancer.url, event.id);
    await book.give(event.id);
    await again.until(() => sequences(again).includes(4));
    expect(sequences(again).filter((sequence) => sequence > 3)).toEqual([4]);
    expect(new Set(again.donations.map(({ body }) => body.id)).size).toBe(new Set(sequences(again)).size);
    await allPublished();
  });

  it('broadcasting continues within seconds when the leader freezes, and in order when it resumes', async () => {
    const event = await book.event();
    const frozen = await leader();
    const other = servers.find((server) => server !== frozen);
    const [there, here] = [await watch(frozen.url, event.id), await watch(other?.url ?? '', event.id)];
    await Promise.all(numbers(10).map(() => book.give(event.id)));
    await here.until(() => here.donations.length >= 10);
    await Promise.all(numbers(20).map(() => book.give(event.id)));
    frozen.child.kill('SIGSTOP');
    const began = Date.now();
    try {
      await Promise.all(numbers(20).map(() => book.give(event.id)));
      await here.until(() => here.donations.length >= 50, 'the next leader', 20_000);
      expect(Date.now() - began).toBeLessThan(12_000);
    } finally {
      frozen.child.kill('SIGCONT');
    }
    await Promise.all(numbers(10).map(() => book.give(event.id)));
    for (const wall of [here, there]) {
      await wall.until(() => new Set(sequences(wall)).size >= 60, 'all donations', 20_000);
      // The messages that were in progress at the freeze may arrive twice, but no message arrives after a
      // later message.
      const first = [...new Set(sequences(wall))];
      expect(first).toEqual(numbers(60));
    }
  }, 90_000);

  it('the other server takes over at once when the leader stops normally', async () => {
    const event = await book.event();
    const leads = await leader();
    const wall = await watch(servers.find((server) => server !== leads)?.url ?? '', event.id);
    const donations = (async () => {
      for (let count = 0; count < 60; count++) await book.give(event.id);
    })();
    await leads.stop();
    await donations;
    await wall.until(() => wall.donations.length >= 60);
    expect(sequences(wall)).toEqual(numbers(60));
    expect(leads.output()).toBe('');
  });

  it('broadcasting continues after the database ended all connections', async () => {
    const event = await book.event();
    const wall = await watch(balancer.url, event.id);
    await book.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'donations%'`,
    );
    for (let count = 0; count < 5; count++) await book.give(event.id);
    await wall.until(() => wall.donations.length >= 5, 'donations after the reconnect', 10_000);
    expect(sequences(wall)).toEqual(numbers(5));
    for (const { child } of servers) expect(child.exitCode).toBeNull();
  });

  it('no donation is lost when Redis is killed: walls of the other server detect the gap and request the messages', async () => {
    const event = await book.event();
    const leads = await leader();
    const near = await watch(leads.url, event.id);
    const far = await watch(servers.find((server) => server !== leads)?.url ?? '', event.id);
    await book.give(event.id);
    for (const wall of [near, far]) await wall.until(() => wall.donations.length === 1);

    await redis.kill();
    for (let count = 0; count < 5; count++) await book.give(event.id);
    await near.until(() => near.donations.length === 6);
    // The server reads the heartbeat from the database, so the heartbeat contains the current position of the feed.
    await far.until(() => far.totals.some(({ body }) => body.sequence === 6), 'a heartbeat', 15_000);
    expect(await far.join({ eventId: event.id, since: 1 })).toEqual({
      joined: true,
      eventId: event.id,
      sequence: 6,
    });
    expect(sequences(far)).toEqual(numbers(6));

    await redis.restart();
    const deadline = Date.now() + 10_000;
    let given = 6;
    // Messages reach the other server again as soon as both servers are connected to Redis and subscribed.
    do {
      await book.give(event.id);
      given++;
      await sleep(300);
    } while (sequences(far).at(-1) !== given && Date.now() < deadline);
    expect(sequences(far).at(-1)).toBe(given);
    for (const { child } of servers) expect(child.exitCode).toBeNull();
  });

  it('walls on other processes get donations within two seconds while Redis is down, at any moment', async () => {
    const event = await book.event();
    const leads = await leader();
    const far = await watch(servers.find((server) => server !== leads)?.url ?? '', event.id);
    const received = far.totals.length;
    // Waits for a heartbeat, so that the next heartbeat is a full interval away.
    await far.until(() => far.totals.length > received + 1, 'a heartbeat', 25_000);
    await redis.kill();
    try {
      const late = monitorEventLoopDelay({ resolution: 10 });
      late.enable();
      const began = performance.now();
      await book.give(event.id);
      await far.until(() => far.totals.some(({ body }) => body.sequence === 1), 'a heartbeat', 15_000);
      const took = performance.now() - began;
      late.disable();
      // On a busy machine the timers of the servers are as late as the timers of this process. So the delay here is subtracted.
      expect(took - late.max / 1e6).toBeLessThan(2_000);
    } finally {
      await redis.restart();
    }
  });

  it('broadcasting continues without loss while Redis hangs', async () => {
    const event = await book.event();
    const leads = await leader();
    const near = await watch(leads.url, event.id);
    const far = await watch(servers.find((server) => server !== leads)?.url ?? '', event.id);
    redis.pause();
    try {
      for (let count = 0; count < 5; count++) await book.give(event.id);
      await near.until(() => near.donations.length === 5);
    } finally {
      redis.resume();
    }
    // The messages arrive late or never. If they never arrive, the heartbeat shows the gap.
    await far.until(() => far.totals.some(({ body }) => body.sequence === 5), 'the totals', 15_000);
    await far.join({ eventId: event.id, since: sequences(far).at(-1) ?? 0 });
    expect([...new Set(sequences(far))]).toEqual(numbers(5));
  });
});

describe('without Redis', () => {
  const database = withOpened(() => createTestDatabase());
  const book = new DonationBook({
    get databaseUrl() {
      return database.url;
    },
  });

  it(
    'two servers without Redis keep all walls correct by the heartbeat',
    async () => {
      const servers = await Promise.all([1, 2].map(() => startServerProcess({ DATABASE_URL: database.url })));
      const event = await book.event();
      const walls = await Promise.all(servers.map(({ url }) => WallClient.connect(url)));
      for (const wall of walls) await wall.join(event.id);
      await book.give(event.id);
      for (const wall of walls) {
        await wall.until(() => wall.totals.some(({ body }) => body.sequence === 1), 'a heartbeat', 15_000);
        await wall.join({ eventId: event.id, since: 0 });
        expect(new Set(sequences(wall))).toEqual(new Set([1]));
        wall.close();
      }
      await Promise.all(servers.map((server) => server.stop()));
    },
    SLOW,
  );

  it(
    'a server broadcasts everything after a database outage, and stops normally during one',
    async () => {
      const direct = new URL(database.url);
      const road = await startBalancer([`http://${direct.hostname}:${direct.port || '5432'}`]);
      const viaRoad = Object.assign(new URL(database.url), { host: new URL(road.url).host });
      const server = await startServerProcess({ DATABASE_URL: viaRoad.href });
      const wall = await WallClient.connect(server.url);
      try {
        const event = await book.event();
        await wall.join(event.id);

        road.open = false;
        road.cut();
        for (let count = 0; count < 3; count++) await book.give(event.id);
        // The server answers with the last known state, or with an error if it knows of a change. It never answers with a state
        // that it could not read.
        const away = await wall.join(event.id);
        expect(away).toMatchObject(
          'joined' in away
            ? { joined: true, sequence: 0 }
            : { error: { statusCode: 503, error: 'Service Unavailable' } },
        );
        await sleep(1_500);
        road.open = true;
        await wall.until(() => wall.donations.length >= 3, 'donations of the meantime', 10_000);
        expect(sequences(wall)).toEqual(numbers(3));

        road.open = false;
        road.cut();
        await sleep(300);
        const began = Date.now();
        await server.stop();
        expect(Date.now() - began).toBeLessThan(10_000);
      } finally {
        wall.close();
        await server.kill('SIGKILL');
        await road.close();
      }
    },
    SLOW,
  );
});
