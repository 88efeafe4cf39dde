import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MARK_PUBLISHED, OLDEST_UNPUBLISHED, UNPUBLISHED } from '../../src/outbox/outbox.sql.js';
import { createTestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { startRelay } from '../support/relay.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/**
 * The mark of a feed is the last published position. After a failure or a crash, the relay sends the messages after the mark
 * again.
 */

const BROKEN = '10000000-0000-7000-8000-000000000001';
const SOUND = '10000000-0000-7000-8000-000000000002';
const database = withOpened(() => createTestDatabase());
beforeAll(() => {
  Logger.overrideLogger(false);
});

const ask = <Row extends object>(text: string, values: unknown[] = []) =>
  sql<Row>({ databaseUrl: database.url }, text, values);

beforeEach(async () => {
  await ask('DELETE FROM outbox');
  await ask('DELETE FROM event_feed');
});

const commit = (event: string, rows: number) =>
  ask(
    `INSERT INTO outbox (event_id, topic, donation_id) SELECT $1, 'donation.created', gen_random_uuid()
     FROM generate_series(1, $2)`,
    [event, rows],
  );

async function markOf(event: string): Promise<number> {
  const [feed] = await ask<{ mark: string }>(
    'SELECT published_sequence AS mark FROM event_feed WHERE event_id = $1',
    [event],
  );
  return Number(feed?.mark);
}

/**
 * Starts a relay. Its consumer refuses batches with rows of these events, and stores the rows that it receives of each event.
 */
function startRefusing(refused: Set<string>) {
  const told = new Map<string, number[]>([
    [BROKEN, []],
    [SOUND, []],
  ]);
  let refusals = 0;
  const relay = startRelay(database.url, async (rows) => {
    if (rows.some(({ event_id }) => refused.has(event_id))) {
      refusals++;
      throw new Error('this batch is refused');
    }
    for (const { event_id, sequence } of rows) told.get(event_id)?.push(Number(sequence));
  });
  return {
    told: (event: string) => told.get(event) ?? [],
    refusals: () => refusals,
    raise: (event: string) => {
      relay.raise(event);
    },
    stop: () => relay.beforeApplicationShutdown(),
  };
}

const oneTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('the mark of a feed', () => {
  it('the mark stays at a refused message while later ones are numbered, and they are published in order afterwards', async () => {
    const refused = new Set<string>();
    const relay = startRefusing(refused);
    await commit(BROKEN, 5);
    await commit(SOUND, 5);
    relay.raise(BROKEN);
    await until(async () => (await markOf(BROKEN)) === 5 && (await markOf(SOUND)) === 5, 'both feeds');
    refused.add(BROKEN);
    await commit(BROKEN, 700);
    await commit(SOUND, 5);
    relay.raise(BROKEN);
    await until(async () => relay.refusals() > 2 && (await markOf(SOUND)) === 10, 'the sound feed');
    await commit(BROKEN, 10);
    await commit(SOUND, 5);
    relay.raise(BROKEN);
    await until(async () => (await markOf(SOUND)) === 15, 'the sound feed again');
    expect(await markOf(BROKEN)).toBe(5);
    const [oldest] = await ask<{ is: boolean }>(
      `SELECT ${OLDEST_UNPUBLISHED} = (SELECT min(created_at) FROM outbox WHERE event_id = $1 AND sequence = 6) AS is`,
      [BROKEN],
    );
    expect(oldest).toEqual({ is: true });
    refused.clear();
    await until(async () => (await ask(UNPUBLISHED)).length === 0, 'all of it');
    await relay.stop();
    expect(relay.told(BROKEN)).toEqual(oneTo(715));
    expect(relay.told(SOUND)).toEqual(oneTo(15));
    expect(await markOf(BROKEN)).toBe(715);
  }, 30_000);

  it('the mark never decreases, even if a replaced leader writes later', async () => {
    await ask(
      `INSERT INTO event_feed (event_id, last_sequence, published_sequence) VALUES ($1, 9, 7), ($2, 9, 3)`,
      [BROKEN, SOUND],
    );
    await ask(MARK_PUBLISHED.text, [
      [BROKEN, SOUND],
      [5, 5],
    ]);
    expect([await markOf(BROKEN), await markOf(SOUND)]).toEqual([7, 5]);
  });

  it('the next leader continues at the mark and publishes numbered, unpublished messages first', async () => {
    const refused = new Set([BROKEN]);
    const first = startRefusing(refused);
    await commit(BROKEN, 300);
    await commit(SOUND, 3);
    first.raise(BROKEN);
    await until(async () => (await markOf(SOUND)) === 3 && first.refusals() > 1, 'the sound feed');
    await first.stop();
    expect(await markOf(BROKEN)).toBe(0);
    await commit(BROKEN, 5);
    const next = startRefusing(new Set());
    await until(async () => (await ask(UNPUBLISHED)).length === 0, 'all of it');
    await next.stop();
    expect(next.told(BROKEN)).toEqual(oneTo(305));
    expect(next.told(SOUND)).toEqual([]);
  }, 30_000);

  it('only old and published messages are deleted; unpublished ones stay', async () => {
    await commit(BROKEN, 3);
    await commit(SOUND, 3);
    await ask("UPDATE outbox SET created_at = now() - interval '49 hours'");
    const relay = startRefusing(new Set([BROKEN]));
    await until(async () => (await markOf(SOUND)) === 3, 'the sound feed');
    // The relay deletes old rows when it starts and then once a minute. So the next relay deletes them when it starts.
    await relay.stop();
    const next = startRefusing(new Set([BROKEN]));
    const left = () =>
      ask<{ event_id: string; sequence: string }>('SELECT event_id, sequence FROM outbox ORDER BY id');
    await until(async () => (await left()).length === 3, 'pruning');
    await next.stop();
    expect((await left()).map(({ event_id, sequence }) => [event_id, Number(sequence)])).toEqual(
      oneTo(3).map((sequence) => [BROKEN, sequence]),
    );
  }, 30_000);
});
