import { describe, expect, it } from '@jest/globals';
import { CommittedChanges } from './committed-changes.js';
import { FreshReads } from './fresh-reads.js';

interface Question {
  readonly key: string;
  readonly answer: (value: string, subject?: string) => void;
  readonly absent: () => void;
  readonly fail: (error?: Error) => void;
}

/** Reads whose answers come when the test says so, on a clock that the test moves. */
function controlled() {
  const questions: Question[] = [];
  const clock = { time: 1_000, now: () => clock.time };
  const changes = new CommittedChanges();
  const reads = new FreshReads<string>(
    (key) =>
      new Promise((resolve, reject) => {
        questions.push({
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
  /** Has the key read, and its time run out. */
  const expired = async (key: string, value: string) => {
    const asked = get(key);
    questions.at(-1)?.answer(value);
    await asked;
    clock.time += 1_000;
  };
  return { reads, changes, questions, clock, get, lastKnown, expired };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('what was read', () => {
  it('is one question for all who ask at once, and none for those who come within the second', async () => {
    const { questions, get } = controlled();
    const all = Promise.all([get('a'), get('a'), get('a')]);
    questions[0]?.answer('one');
    expect(await all).toEqual(['one', 'one', 'one']);
    expect(await get('a')).toBe('one');
    expect(questions).toHaveLength(1);
  });

  it('is not used for longer than a second after it was asked for', async () => {
    const { questions, clock, get } = controlled();
    const first = get('a');
    clock.time += 900;
    questions[0]?.answer('one');
    await first;
    clock.time += 99;
    expect(await get('a')).toBe('one');
    clock.time += 1;
    const next = get('a');
    await settle();
    // The one that was asked in the background at 0.9 s serves: it is younger than the last moment.
    questions.at(-1)?.answer('two');
    expect(await next).toBe('two');
  });

  it('is read again in the background before its time is over, so that nobody waits', async () => {
    const { questions, clock, get } = controlled();
    const first = get('a');
    questions[0]?.answer('one');
    await first;
    clock.time += 700;
    expect(await get('a')).toBe('one');
    expect(await get('a')).toBe('one');
    expect(questions).toHaveLength(2);
    questions[1]?.answer('two');
    await settle();
    clock.time += 400;
    expect(await get('a')).toBe('two');
  });

  it('is gone as soon as its subject changed, and stays when another one did', async () => {
    const { reads, questions, get } = controlled();
    const first = get('slug');
    questions[0]?.answer('one', 'event 1');
    await first;
    reads.changed('event 2');
    expect(await get('slug')).toBe('one');
    reads.changed('event 1');
    const next = get('slug');
    questions[1]?.answer('two', 'event 1');
    expect(await next).toBe('two');
  });

  it('of everything is gone when anything changed', async () => {
    const { reads, questions, get } = controlled();
    const first = get('list');
    questions[0]?.answer('one', 'any');
    await first;
    reads.changed('event 2');
    const next = get('list');
    questions[1]?.answer('two', 'any');
    expect(await next).toBe('two');
  });

  it('is given to those who asked before a change, and neither kept nor given to those who came after', async () => {
    const { reads, questions, get } = controlled();
    const before = get('a');
    reads.changed('a');
    const after = get('a');
    questions[0]?.answer('old');
    expect(await before).toBe('old');
    await settle();
    expect(questions).toHaveLength(2);
    questions[1]?.answer('new');
    expect(await after).toBe('new');
    expect(await get('a')).toBe('new');
  });

  it('is not kept when anything at all may have changed meanwhile', async () => {
    const { reads, questions, get } = controlled();
    const before = get('a');
    reads.changed(undefined);
    questions[0]?.answer('old');
    await before;
    const next = get('a');
    questions[1]?.answer('new');
    expect(await next).toBe('new');
  });

  it('tells whoever keeps a reading that it is overtaken', async () => {
    const { reads, questions } = controlled();
    const asked = reads.get('a');
    questions[0]?.answer('one');
    const reading = await asked;
    expect(reading?.usableUntil).toBe(2_000);
    reads.changed('a');
    expect(reading?.usableUntil).toBe(0);
  });

  it('is not kept where there is nothing, and a failure goes to all and is forgotten', async () => {
    const { questions, get } = controlled();
    const nothing = get('a');
    questions[0]?.absent();
    expect(await nothing).toBeUndefined();
    const failing = Promise.allSettled([get('a'), get('a')]);
    questions[1]?.fail();
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = get('a');
    questions[2]?.answer('one');
    expect(await next).toBe('one');
  });

  it('is asked for by whoever comes when the question in the background failed', async () => {
    const { questions, clock, get } = controlled();
    const first = get('a');
    questions[0]?.answer('one');
    await first;
    clock.time += 700;
    await get('a');
    questions[1]?.fail();
    await settle();
    expect(await get('a')).toBe('one');
    clock.time += 300;
    const next = get('a');
    questions[2]?.answer('two');
    expect(await next).toBe('two');
  });

  it('does not pile up: the longest unused goes, and so does what was kept of it', async () => {
    const { reads, questions, get } = controlled();
    for (const key of ['a', 'b', 'c', 'd']) {
      const asked = get(key);
      questions.at(-1)?.answer(key);
      await asked;
    }
    const again = get('a');
    expect(questions).toHaveLength(5);
    questions[4]?.answer('again');
    expect(await again).toBe('again');
    reads.changed('a');
    const last = get('a');
    expect(questions).toHaveLength(6);
    questions[5]?.answer('last');
    expect(await last).toBe('last');
  });
});

describe('what was read last, while the database does not answer', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('is given once the question has waited for a moment, and then at once to those who come', async () => {
    const { questions, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const first = lastKnown('a');
    expect(await first).toBe('one');
    clock.time += 100;
    expect(await lastKnown('a')).toBe('one');
    expect(questions).toHaveLength(2);
    questions[1]?.answer('two');
    await settle();
    expect(await lastKnown('a')).toBe('two');
  });

  it('is not given where the database answers in time', async () => {
    const { questions, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    questions[1]?.answer('two');
    expect(await asked).toBe('two');
  });

  it('is given when the database is away, which is asked again a little later', async () => {
    const { questions, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    questions[1]?.fail(away);
    expect(await asked).toBe('one');
    expect(await lastKnown('a')).toBe('one');
    expect(questions).toHaveLength(2);
    clock.time += 250;
    expect(await lastKnown('a')).toBe('one');
    expect(questions).toHaveLength(3);
    questions[2]?.answer('two');
    await settle();
    expect(await lastKnown('a')).toBe('two');
  });

  it('is not given to the first who comes when the database answers again', async () => {
    const { questions, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    questions[1]?.fail(away);
    expect(await asked).toBe('one');
    clock.time += 10_000;
    const next = lastKnown('a');
    questions[2]?.answer('two');
    expect(await next).toBe('two');
  });

  it('is not given in place of an error that says something else', async () => {
    const { questions, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    questions[1]?.fail();
    await expect(asked).rejects.toThrow('away');
  });

  it('is not given to who must not decide by it', async () => {
    const { questions, clock, get, lastKnown, expired } = controlled();
    await expired('a', 'one');
    await lastKnown('a');
    clock.time += 100;
    const asked = get('a');
    questions[1]?.answer('two');
    expect(await asked).toBe('two');
  });

  it('is given for a minute after it was asked for, and no longer', async () => {
    const { questions, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    await lastKnown('a');
    clock.time = 60_999;
    expect(await lastKnown('a')).toBe('one');
    clock.time = 61_000;
    const asked = lastKnown('a');
    questions.at(-1)?.fail(away);
    await expect(asked).rejects.toThrow('ECONNREFUSED');
  });

  it.each([['its subject', 'a'] as const, ['anything', undefined] as const])(
    'is not given any more when %s changed',
    async (_, subject) => {
      const { changes, questions, clock, lastKnown, expired } = controlled();
      await expired('a', 'one');
      await lastKnown('a');
      clock.time += 100;
      changes.announce(subject);
      const asked = lastKnown('a');
      questions[1]?.answer('from before the change');
      await settle();
      questions[2]?.answer('two');
      expect(await asked).toBe('two');
    },
  );

  it('is not given to one who waits while its subject changes', async () => {
    const { changes, questions, lastKnown, expired } = controlled();
    await expired('a', 'one');
    const asked = lastKnown('a');
    changes.announce('a');
    await new Promise((resolve) => setTimeout(resolve, 150));
    questions[1]?.answer('two');
    expect(await asked).toBe('two');
  });

  it('is not given any more when the database said that it is not there', async () => {
    const { questions, clock, lastKnown, expired } = controlled();
    await expired('a', 'one');
    await lastKnown('a');
    questions[1]?.absent();
    await settle();
    clock.time += 300;
    const asked = lastKnown('a');
    questions[2]?.fail(away);
    await expect(asked).rejects.toThrow('ECONNREFUSED');
  });

  it('is asked for again when changes may have been missed, and given only where there is no answer', async () => {
    const { reads, changes, questions, clock, get, lastKnown } = controlled();
    const first = get('a');
    questions[0]?.answer('one');
    await first;
    changes.announceGap();
    expect(reads.usable('a')).toBeUndefined();
    expect(await lastKnown('a')).toBe('one');
    expect(questions).toHaveLength(2);
    questions[1]?.answer('two');
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
