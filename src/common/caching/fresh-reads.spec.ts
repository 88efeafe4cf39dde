import { describe, expect, it } from '@jest/globals';
import { CommittedChanges } from './committed-changes.js';
import { FreshReads } from './fresh-reads.js';

interface Query {
  readonly key: string;
  readonly answer: (value: string, subject?: string) => void;
  readonly absent: () => void;
  readonly fail: (error?: Error) => void;
}

/** Returns readings whose queries the test answers, with a clock that the test sets. */
function controlled() {
  const queries: Query[] = [];
  const clock = { time: 1_000, now: () => clock.time };
  const changes = new CommittedChanges();
  const reads = new FreshReads<string>(
    (key) =>
      new Promise((resolve, reject) => {
        queries.push({
          key,
          answer: (value, subject = key) => {
            resolve({ value, subject: subject === 'any' ? undefined : subject });
          },
          absent: () => {
            resolve(undefined);
          },
          fail: (error = new Error('away')) => {
            reject(error);
          },
        });
      }),
    { max: 3, changes, clock },
  );
  const get = async (key: string) => (await reads.get(key))?.value;
  const lastKnown = async (key: string) => (await reads.lastKnown(key))?.value;
  /** Reads the key and lets the reading expire. */
  const expired = async (key: string, value: string) => {
    const asked = get(key);
    queries.at(-1)?.answer(value);
    await asked;
    clock.time += 1_000;
  };
  return { reads, changes, queries, clock, get, lastKnown, expired };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a reading', () => {
  it('needs one query for all callers within a second', async () => {
    const { queries, get } = controlled();
    const all = Promise.all([get('a'), get('a'), get('a')]);
    queries[0]?.answer('one');
    expect(await all).toEqual(['one', 'one', 'one']);
    expect(await get('a')).toBe('one');
    expect(queries).toHaveLength(1);
  });

  it('uses the result of a query for at most one second', async () => {
    const { queries, clock, get } = controlled();
    const first = get('a');
    clock.time += 900;
    queries[0]?.answer('one');
    await first;
    clock.time += 99;
    expect(await get('a')).toBe('one');
    clock.time += 1;
    const next = get('a');
    await settle();
    // Answers the background query that started after 0.9 s. Its reading is younger than a second.
    queries.at(-1)?.answer('two');
    expect(await next).toBe('two');
  });

  it('is renewed in the background before it expires, so that no caller waits', async () => {
    const { queries, clock, get } = controlled();
    const first = get('a');
    queries[0]?.answer('one');
    await first;
    clock.time += 700;
    expect(await get('a')).toBe('one');
    expect(await get('a')).toBe('one');
    expect(queries).toHaveLength(2);
    queries[1]?.answer('two');
    await settle();
    clock.time += 400;
    expect(await get('a')).toBe('two');
  });

  it('is dropped when its subject changes, and kept when another subject changes', async () => {
    const { reads, queries, get } = controlled();
    const first = get('slug');
    queries[0]?.answer('one', 'event 1');
    await first;
    reads.changed('event 2');
    expect(await get('slug')).toBe('one');
    reads.changed('event 1');
    const next = get('slug');
    queries[1]?.answer('two', 'event 1');
    expect(await next).toBe('two');
  });

  it('without a subject is dropped after any change', async () => {
    const { reads, queries, get } = controlled();
    const first = get('list');
    queries[0]?.answer('one', 'any');
    await first;
    reads.changed('event 2');
    const next = get('list');
    queries[1]?.answer('two', 'any');
    expect(await next).toBe('two');
  });

  it('is returned only to callers that asked before a change, and is not kept', async () => {
    const { reads, queries, get } = controlled();
    const before = get('a');
    reads.changed('a');
    const after = get('a');
    queries[0]?.answer('old');
    expect(await before).toBe('old');
    await settle();
    expect(queries).toHaveLength(2);
    queries[1]?.answer('new');
    expect(await after).toBe('new');
    expect(await get('a')).toBe('new');
  });

  it('is not kept if an unknown change happened during its query', async () => {
    const { reads, queries, get } = controlled();
    const before = get('a');
    reads.changed(undefined);
    queries[0]?.answer('old');
    await before;
    const next = get('a');
    queries[1]?.answer('new');
    expect(await next).toBe('new');
  });

  it('an answer is marked as invalid after a change, also for callers that already have it', async () => {
    const { reads, queries } = controlled();
    const asked = reads.get('a');
    queries[0]?.answer('one');
    const reading = await asked;
    expect(reading?.usableUntil).toBe(2_000);
    reads.changed('a');
    expect(reading?.usableUntil).toBe(0);
  });

  it('is not kept if the value is missing or the query fails', async () => {
    const { queries, get } = controlled();
    const nothing = get('a');
    queries[0]?.absent();
    expect(await nothing).toBeUndefined();
    const failing = Promise.allSettled([get('a'), get('a')]);
    queries[1]?.fail();
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = get('a');
    queries[2]?.answer('one');
    expect(await next).toBe('one');
  });

  it('is requested by the next caller if the background query failed', async () => {
    const { queries, clock, get } = controlled();
    const first = get('a');
    queries[0]?.answer('one');
    await first;
    clock.time += 700;
    await get('a');
    queries[1]?.fail();
    await settle();
    expect(await get('a')).toBe('one');
    clock.time += 300;
    const next = get('a');
    queries[2]?.answer('two');
    expect(await next).toBe('two');
  });

  it('is evicted with its index entry when the cache is full, least recently used first', async () => {
    const { reads, queries, get } = controlled();
    for (const key of ['a', 'b', 'c', 'd']) {
      const asked = get(key);
      queries.at(-1)?.answer(key);
      await asked;
    }
    const again = get('a');
    expect(queries).toHaveLength(5);
    queries[4]?.answer('again');
    expect(await again).toBe('again');
    reads.changed('a');
    const last = get('a');
    expect(queries).toHaveLength(6);
    queries[5]?.answer('last');
    expect(await last).toBe('last');
  });
});

describe('the last known reading, during a database outage', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('is returned after a short wait for the database, and then at once', async () => {
    const { queries, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const first = lastKnown('a');
    expect(await first).toBe('one');
    clock.time += 100;
    expect(await lastKnown('a')).toBe('one');
    expect(queries).toHaveLength(2);
    queries[1]?.answer('two');
    await settle();
    expect(await lastKnown('a')).toBe('two');
  });

  it('is not returned if the database answers in time', async () => {
    const { queries, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    queries[1]?.answer('two');
    expect(await asked).toBe('two');
  });

  it('is returned if the database is down, and the query is repeated a little later', async () => {
    const { queries, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    queries[1]?.fail(away);
    expect(await asked).toBe('one');
    expect(await lastKnown('a')).toBe('one');
    expect(queries).toHaveLength(2);
    clock.time += 250;
    expect(await lastKnown('a')).toBe('one');
    expect(queries).toHaveLength(3);
    queries[2]?.answer('two');
    await settle();
    expect(await lastKnown('a')).toBe('two');
  });

  it('is not returned to the first caller when the database answers again', async () => {
    const { queries, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    queries[1]?.fail(away);
    expect(await asked).toBe('one');
    clock.time += 10_000;
    const next = lastKnown('a');
    queries[2]?.answer('two');
    expect(await next).toBe('two');
  });

  it('does not replace an error other than an outage', async () => {
    const { queries, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    queries[1]?.fail();
    await expect(asked).rejects.toThrow('away');
  });

  it('is not returned to callers that make decisions', async () => {
    const { queries, clock, get, lastKnown, expired } = controlled();
    await expired('a', 'one');
    await lastKnown('a');
    clock.time += 100;
    const asked = get('a');
    queries[1]?.answer('two');
    expect(await asked).toBe('two');
  });

  it('is returned for a minute after its query, and no longer', async () => {
    const { queries, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    await lastKnown('a');
    clock.time = 60_999;
    expect(await lastKnown('a')).toBe('one');
    clock.time = 61_000;
    const asked = lastKnown('a');
    queries.at(-1)?.fail(away);
    await expect(asked).rejects.toThrow('ECONNREFUSED');
  });

  it.each([['its subject', 'a'] as const, ['anything', undefined] as const])(
    'is no longer returned when %s changed',
    async (_, subject) => {
      const { changes, queries, clock, lastKnown, expired } = controlled();
      await expired('a', 'one');
      await lastKnown('a');
      clock.time += 100;
      changes.announce(subject);
      const asked = lastKnown('a');
      queries[1]?.answer('from before the change');
      await settle();
      queries[2]?.answer('two');
      expect(await asked).toBe('two');
    },
  );

  it('is not returned to a waiting caller if its subject changes meanwhile', async () => {
    const { changes, queries, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    changes.announce('a');
    await new Promise((resolve) => setTimeout(resolve, 150));
    queries[1]?.answer('two');
    expect(await asked).toBe('two');
  });

  it('is no longer returned when the database answered that the value does not exist', async () => {
    const { queries, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    await lastKnown('a');
    queries[1]?.absent();
    await settle();
    clock.time += 300;
    const asked = lastKnown('a');
    queries[2]?.fail(away);
    await expect(asked).rejects.toThrow('ECONNREFUSED');
  });

  it('is renewed if changes may have been missed, and returned only if the database does not answer', async () => {
    const { reads, changes, queries, clock, get, lastKnown } = controlled();
    const first = get('a');
    queries[0]?.answer('one');
    await first;
    changes.announceGap();
    expect(reads.usable('a')).toBeUndefined();
    expect(await lastKnown('a')).toBe('one');
    expect(queries).toHaveLength(2);
    queries[1]?.answer('two');
    await settle();
    clock.time += 100;
    expect(await lastKnown('a')).toBe('two');
  });

  it('is as old as its oldest part', async () => {
    const clock = { time: 1_000, now: () => clock.time };
    const reads = new FreshReads<string>(
      () => Promise.resolve({ value: 'one', subject: 'a', askedAt: 400 }),
      { max: 1, clock },
    );
    const reading = await reads.get('a');
    expect(reading).toMatchObject({ askedAt: 400, usableUntil: 1_400, knownUntil: 60_400 });
  });
});
