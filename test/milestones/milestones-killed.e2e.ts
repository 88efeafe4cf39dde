import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { createTestDatabase } from '../support/database.js';
import { DonationBook } from '../support/donations.js';
import { sql } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/** `TOTALS=10000` is the size of the acceptance; the usual size takes some seconds. */
const TOTALS = Number(process.env.TOTALS ?? 400);
const EVENTS = 10;
const MILESTONES = 24;
const LARGEST = 100_000;
/** Totals of each event between two kills. */
const KILL_EVERY = 10;

const database = withOpened(() => createTestDatabase());
const app = {
  get databaseUrl() {
    return database.url;
  },
};
const ask = <Row extends object>(text: string, values: unknown[] = []) => sql<Row>(app, text, values);
const book = new DonationBook(app);

async function start(): Promise<ChildProcess> {
  const child = fork(resolve('test/milestones/milestone-process.mjs'), [database.url]);
  await once(child, 'message');
  return child;
}

it(
  'each milestone of random totals is reached exactly once, lowest first, while the process is killed again and again',
  async () => {
    const events: string[] = [];
    for (let index = 0; index < EVENTS; index++) {
      const { id } = await book.event();
      events.push(id);
      const amounts = new Set<number>();
      while (amounts.size < MILESTONES)
        amounts.add(1 + Math.floor(Math.random() * LARGEST * (TOTALS / EVENTS) * 0.7));
      for (const amount of amounts)
        await ask(
          `INSERT INTO milestone (id, event_id, amount, basis, kind, title, is_visible, announce)
           VALUES ($1, $2, $3, 'raised', 'step', 'Step', true, 'by_itself')`,
          [newId(), id, amount],
        );
    }
    let child = await start();
    for (let round = 0; round < TOTALS / EVENTS; round++) {
      await Promise.all(
        events.map((id) => book.give(id, { amount: 1 + Math.floor(Math.random() * LARGEST) })),
      );
      if (round % KILL_EVERY !== KILL_EVERY - 1) continue;
      await pause(Math.random() * 100);
      child.kill('SIGKILL');
      child = await start();
    }
    await until(
      async () =>
        (
          await ask(
            `SELECT FROM outbox o LEFT JOIN follower_position p ON p.event_id = o.event_id AND p.follower = 'milestones'
             WHERE o.sequence IS NULL OR o.sequence > coalesce(p.sequence, 0) LIMIT 1`,
          )
        ).length === 0,
      'all totals are handled',
      { timeoutMs: 60_000, everyMs: 100 },
    );
    child.kill('SIGKILL');
    const missed = await ask(
      `SELECT FROM milestone m JOIN LATERAL (SELECT sum(total_raised) AS total FROM event_total t WHERE t.event_id = m.event_id) t ON true
       WHERE (m.reached_at IS NOT NULL) <> (m.amount <= t.total) OR m.reached_total < m.amount
         OR (m.reached_at IS NULL) <> (m.announced_at IS NULL)`,
    );
    expect(missed).toEqual([]);
    const messages = await ask<{ event_id: string; subject_id: string; amount: string }>(
      `SELECT o.event_id, o.subject_id, m.amount FROM outbox o JOIN milestone m ON m.id = o.subject_id
       WHERE o.topic = 'milestone.reached' ORDER BY o.event_id, o.sequence`,
    );
    const [reached] = await ask<{ count: number }>(
      'SELECT count(*)::int AS count FROM milestone WHERE reached_at IS NOT NULL',
    );
    expect(messages.length).toBeGreaterThan(EVENTS * 5);
    expect(messages).toHaveLength(reached?.count ?? 0);
    expect(new Set(messages.map(({ subject_id }) => subject_id)).size).toBe(messages.length);
    for (const id of events) {
      const own = messages.filter(({ event_id }) => event_id === id).map(({ amount }) => Number(amount));
      expect(own).toEqual([...own].sort((one, other) => one - other));
    }
  },
  60_000 + TOTALS * 100,
);
