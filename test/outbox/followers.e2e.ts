import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type AppConfig, DATABASE_TIMES } from '../../src/config/app-config.js';
import { Database } from '../../src/data/database.js';
import { type Follower, Followers } from '../../src/outbox/followers.js';
import { KEPT, PRUNE } from '../../src/outbox/outbox.sql.js';
import { createTestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { startRelay } from '../support/relay.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const BROKEN = '10000000-0000-7000-8000-000000000001';
const SOUND = '10000000-0000-7000-8000-000000000002';
const NOTE = {
  name: 'test_note',
  text: 'INSERT INTO noted (follower, event_id, sequence) VALUES ($1, $2, $3)',
};
const database = withOpened(() => createTestDatabase());
const ask = <Row extends object>(text: string, values: unknown[] = []) =>
  sql<Row>({ databaseUrl: database.url }, text, values);

beforeAll(async () => {
  Logger.overrideLogger(false);
  await ask(
    'CREATE TABLE noted (id bigserial, follower text NOT NULL, event_id uuid NOT NULL, sequence bigint NOT NULL)',
  );
});
beforeEach(async () => {
  for (const table of ['outbox', 'event_feed', 'follower', 'noted']) await ask(`DELETE FROM ${table}`);
});

const commit = (event: string, rows: number) =>
  ask(
    `INSERT INTO outbox (event_id, topic, donation_id) SELECT $1, 'donation.created', gen_random_uuid()
     FROM generate_series(1, $2)`,
    [event, rows],
  );
const notedBy = async (follower: string, event: string) =>
  (
    await ask<{ sequence: string }>(
      'SELECT sequence FROM noted WHERE follower = $1 AND event_id = $2 ORDER BY id',
      [follower, event],
    )
  ).map(({ sequence }) => Number(sequence));
const oneTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** A follower that writes down each message, and then fails for messages of these events. */
const noting = (name: string, refused: ReadonlySet<string> = new Set()): Follower => ({
  name,
  handle: async (tx, eventId, rows) => {
    for (const { sequence } of rows) tx.write(NOTE, [name, eventId, sequence]);
    if (refused.has(eventId)) throw new Error('these messages are refused');
  },
});

/** Starts a relay with followers. */
function startFollowers(...own: readonly Follower[]) {
  const pool = new Database({
    databaseUrl: database.url,
    databasePoolSize: 2,
    databaseTimes: DATABASE_TIMES,
  } as AppConfig);
  const relay = startRelay(database.url, async () => undefined);
  const followers = new Followers(pool, relay);
  for (const follower of own) followers.add(follower);
  followers.onApplicationBootstrap();
  return {
    raise: (event: string) => {
      relay.raise(event);
    },
    stop: async () => {
      await relay.beforeApplicationShutdown();
      await followers.beforeApplicationShutdown();
      await pool.onApplicationShutdown();
    },
  };
}

describe('followers', () => {
  it('each handle every message of each feed once, in order', async () => {
    const first = startFollowers(noting('a'), noting('b'));
    await commit(BROKEN, 700);
    await commit(SOUND, 3);
    first.raise(BROKEN);
    await until(async () => (await notedBy('b', BROKEN)).length >= 700, 'the first messages');
    await first.stop();
    await commit(BROKEN, 40);
    const next = startFollowers(noting('a'), noting('b'));
    await until(async () => (await notedBy('b', BROKEN)).length >= 740, 'the messages of the next leader');
    await next.stop();
    for (const name of ['a', 'b']) {
      expect(await notedBy(name, BROKEN)).toEqual(oneTo(740));
      expect(await notedBy(name, SOUND)).toEqual(oneTo(3));
    }
  }, 30_000);

  it('if one fails for an event, only it waits, only for this event, and leaves nothing behind', async () => {
    const refused = new Set([BROKEN]);
    const running = startFollowers(noting('sound'), noting('failing', refused));
    await commit(BROKEN, 5);
    await commit(SOUND, 5);
    running.raise(BROKEN);
    await until(async () => (await notedBy('failing', SOUND)).length === 5, 'the other event');
    await until(async () => (await notedBy('sound', BROKEN)).length === 5, 'the other follower');
    const held = () =>
      ask<object>(
        'SELECT follower, event_id, sequence::int, problem FROM follower_position WHERE held_since IS NOT NULL',
      );
    await until(async () => (await held()).length > 0, 'the note of the problem');
    expect(await held()).toEqual([{ follower: 'failing', event_id: BROKEN, sequence: 0, problem: 'Error' }]);
    expect(await notedBy('failing', BROKEN)).toEqual([]);
    await commit(BROKEN, 5);
    running.raise(BROKEN);
    await until(async () => (await notedBy('sound', BROKEN)).length === 10, 'later messages');
    refused.clear();
    await until(async () => (await notedBy('failing', BROKEN)).length === 10, 'the next attempt');
    await running.stop();
    expect(await held()).toEqual([]);
    expect(await notedBy('failing', BROKEN)).toEqual(oneTo(10));
    expect(await notedBy('sound', BROKEN)).toEqual(oneTo(10));
  }, 30_000);

  it('a new one begins at the end of each feed', async () => {
    const first = startFollowers(noting('old'));
    await commit(SOUND, 5);
    first.raise(SOUND);
    await until(async () => (await notedBy('old', SOUND)).length === 5, 'the old follower');
    await first.stop();
    const next = startFollowers(noting('old'), noting('new'));
    await until(async () => (await ask('SELECT FROM follower')).length === 2, 'the new follower');
    await commit(SOUND, 2);
    await commit(BROKEN, 2);
    next.raise(SOUND);
    await until(async () => (await notedBy('new', BROKEN)).length === 2, 'the new event');
    await until(async () => (await notedBy('new', SOUND)).length === 2, 'the new messages');
    await next.stop();
    expect(await notedBy('new', SOUND)).toEqual([6, 7]);
    expect(await notedBy('old', SOUND)).toEqual(oneTo(7));
  }, 30_000);

  it('old messages stay until the last one has handled them', async () => {
    const running = startFollowers(noting('quick'), noting('failing', new Set([BROKEN])));
    await commit(BROKEN, 3);
    await commit(SOUND, 3);
    running.raise(BROKEN);
    await until(async () => (await notedBy('quick', BROKEN)).length === 3, 'the quick follower');
    await until(async () => (await notedBy('failing', SOUND)).length === 3, 'the other event');
    await until(
      async () => (await ask('SELECT FROM event_feed WHERE published_sequence = 3')).length === 2,
      'the marks',
    );
    await running.stop();
    await ask("UPDATE outbox SET created_at = now() - interval '49 hours'");
    expect(await ask(PRUNE.text, [KEPT, 100])).toHaveLength(3);
    const left = await ask<{ event_id: string }>('SELECT DISTINCT event_id FROM outbox');
    expect(left).toEqual([{ event_id: BROKEN }]);
  }, 30_000);
});
