import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/** `KILLS=200` is the size of the acceptance; the usual size takes a few seconds. */
const KILLS = Number(process.env.KILLS ?? 25);
const EVENTS = ['10000000-0000-7000-8000-000000000001', '10000000-0000-7000-8000-000000000002'];
const database = withOpened(() => createTestDatabase());
const ask = <Row extends object>(text: string, values: unknown[] = []) =>
  sql<Row>({ databaseUrl: database.url }, text, values);

async function start(): Promise<ChildProcess> {
  const child = fork(resolve('test/outbox/follower-process.mjs'), [database.url]);
  await once(child, 'message');
  return child;
}

it(
  'followers handle each message once and in order while their process is killed again and again under load',
  async () => {
    await ask(
      'CREATE TABLE noted (id bigserial, follower text NOT NULL, event_id uuid NOT NULL, sequence bigint NOT NULL, delay interval)',
    );
    await ask('ALTER TABLE outbox ADD COLUMN committed_at timestamptz DEFAULT clock_timestamp()');
    const processes = [await start(), await start()];
    await until(async () => (await ask('SELECT FROM follower')).length === 5, 'the followers');
    const over = new AbortController();
    let donations = 0;
    let refunds = 0;
    const load = (async () => {
      while (!over.signal.aborted) {
        const about = Math.random() < 0.1 ? 'donation.updated' : 'donation.created';
        const count = 1 + Math.floor(Math.random() * 40);
        await ask(
          `INSERT INTO outbox (event_id, topic, donation_id) SELECT $1, $2, gen_random_uuid() FROM generate_series(1, $3)`,
          [EVENTS[donations % 2], about, count],
        );
        if (about === 'donation.created') donations += count;
        else refunds += count;
        await pause(10);
      }
    })();
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(Math.random() * 300);
      // The second process waits for the leadership of the first one.
      const [leader] = processes.splice(0, 1);
      leader?.kill('SIGKILL');
      processes.push(await start());
    }
    over.abort();
    await load;
    const behind = () =>
      ask(
        `SELECT FROM event_feed f CROSS JOIN follower w LEFT JOIN follower_position p
           ON p.event_id = f.event_id AND p.follower = w.name
          WHERE coalesce(p.sequence, 0) < f.last_sequence OR EXISTS (SELECT FROM outbox WHERE sequence IS NULL)`,
      );
    await until(async () => (await behind()).length === 0, 'all followers', {
      timeoutMs: 60_000,
      everyMs: 100,
    });
    for (const child of processes) child.kill('SIGKILL');
    const noted = await ask<object>(
      `SELECT n.follower, count(*)::int, count(DISTINCT (n.event_id, n.sequence))::int AS different,
         count(*) FILTER (WHERE o.topic = 'donation.created')::int AS donations,
         count(*) FILTER (WHERE o.topic = 'donation.updated')::int AS refunds,
         bool_and(n.previous IS NULL OR n.previous = n.sequence - 1) AS "isOrdered"
       FROM (SELECT *, lag(sequence) OVER (PARTITION BY follower, event_id ORDER BY id) AS previous FROM noted) AS n
       JOIN outbox o ON o.event_id = n.event_id AND o.sequence = n.sequence
       GROUP BY n.follower`,
    );
    const [all] = await ask<{ count: number }>('SELECT count(*)::int FROM outbox');
    const count = all?.count ?? 0;
    expect(count).toBeGreaterThan(donations + refunds);
    expect(noted).toHaveLength(5);
    for (const one of noted)
      expect(one).toMatchObject({ count, different: count, donations, refunds, isOrdered: true });
  },
  60_000 + KILLS * 3_000,
);
