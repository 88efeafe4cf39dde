import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ExportThread } from '../../src/documents/thread/export-thread.js';
import type { ThreadFunction, ThreadStream } from '../../src/documents/thread/thread-messages.js';
import { until } from '../support/until.js';

const file = new URL('./thread-functions.mjs', import.meta.url).href;
const bytesOf: ThreadFunction<string, Uint8Array> = { file, name: 'bytesOf' };
const numbers: ThreadStream<{ times: number; flag?: SharedArrayBuffer }, number | string, number> = {
  file,
  name: 'numbers',
};

let thread: ExportThread;
beforeEach(() => {
  thread = new ExportThread();
});
afterEach(async () => {
  await thread.onApplicationShutdown();
});

const flag = () => new SharedArrayBuffer(4);
const raised = (flag: SharedArrayBuffer) => Atomics.load(new Int32Array(flag), 0) === 1;

async function* counted<Batch>(batches: Iterable<Batch>, end: () => void = () => undefined) {
  try {
    for (const batch of batches) yield await Promise.resolve(batch);
  } finally {
    end();
  }
}

/** Copies: the memory of a piece is lent. */
async function collected(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}

const text = async () => (await thread.bytes(bytesOf, 'drawn')).toString();

describe('the thread of exports', () => {
  it('makes bytes', async () => {
    expect(await text()).toBe('drawn');
  });

  it('works while this thread works', async () => {
    const go = flag();
    const waits: ThreadFunction<SharedArrayBuffer, Uint8Array> = { file, name: 'waits' };
    // It holds its thread until this one, which must be free for that, lets it go.
    const answer = thread.bytes(waits, go);
    await setTimeout(20);
    Atomics.store(new Int32Array(go), 0, 1);
    Atomics.notify(new Int32Array(go), 0);
    expect([...(await answer)]).toEqual([7]);
  });

  it.each([
    ['ends', 'ends'],
    ['runs out of memory', 'fillsMemory'],
  ])('that %s costs what ran on it, and nothing after it', async (_, name) => {
    const last: ThreadFunction<null, Uint8Array> = { file, name };
    let read: (batch: number) => void = () => undefined;
    const batches = (async function* () {
      yield await new Promise<number>((resolve) => (read = resolve));
    })();
    const stream = collected(thread.stream(numbers, { times: 1 }, { batches, onNote: () => undefined }));
    const lost = expect(stream).rejects.toThrow();
    await expect(thread.bytes(last, null)).rejects.toThrow();
    // What is being read for it comes to its end before the stream does.
    read(1);
    await lost;
    expect(await text()).toBe('drawn');
  });

  it('that fails with nothing to do does not end the process', async () => {
    const failed = flag();
    const later: ThreadFunction<SharedArrayBuffer, Uint8Array> = { file, name: 'endsLater' };
    await thread.bytes(later, failed);
    await until(() => raised(failed), 'the failure of the thread');
    // Its end is noticed in its own time, and takes along what was asked for in between.
    await until(async () => (await text().catch(() => 'lost')) === 'drawn', 'another thread');
    expect(await text()).toBe('drawn');
  });
});

describe('a stream from the thread', () => {
  it('has every piece once, in its order, and tells what is not part of it', async () => {
    const batches = Array.from({ length: 50 }, (_, index) => index + 1);
    const notes: number[] = [];
    const stream = thread.stream(
      numbers,
      // 80,000 bytes for each: more than a piece may have.
      { times: 20_000 },
      { batches: counted(batches), onNote: (note) => notes.push(note) },
    );
    const whole = await collected(stream);
    const expected = Buffer.concat(
      batches.map((batch) => Buffer.from(new Uint32Array(20_000).fill(batch).buffer)),
    );
    expect(whole.equals(expected)).toBe(true);
    expect(notes).toEqual(batches);
  });

  it('without anything ends', async () => {
    const stream = thread.stream(numbers, { times: 1 }, { batches: counted([]), onNote: () => undefined });
    expect(await collected(stream)).toHaveLength(0);
  });

  it('stops on both sides when its reader leaves', async () => {
    const [end, over] = [flag(), { batches: false }];
    const batches = counted(forever(), () => (over.batches = true));
    const stream = thread.stream(numbers, { times: 20_000, flag: end }, { batches, onNote: () => undefined });
    for (let taken = 0; taken < 3; taken++) await stream.next();
    await stream.return();
    expect([raised(end), over.batches]).toEqual([true, true]);
  });

  it('that needs no batches stops, too', async () => {
    const end = flag();
    const endless: ThreadStream<SharedArrayBuffer, never, never> = { file, name: 'endless' };
    const stream = thread.stream(endless, end, { batches: counted<never>([]), onNote: () => undefined });
    await stream.next();
    await stream.return();
    expect(raised(end)).toBe(true);
  });

  it('reads no further than its reader takes', async () => {
    let asked = 0;
    const batches = counted(forever(), () => undefined);
    const watched = (async function* () {
      for await (const batch of batches) {
        asked++;
        yield batch;
      }
    })();
    const stream = thread.stream(numbers, { times: 20_000 }, { batches: watched, onNote: () => undefined });
    await stream.next();
    await setTimeout(100);
    // Four pieces on their way are three batches; one more waits for room, and one is there for when it is wanted.
    expect(asked).toBeLessThanOrEqual(6);
    await stream.return();
  });

  it('fails as its function does', async () => {
    const end = flag();
    const stream = thread.stream(
      numbers,
      { times: 1, flag: end },
      { batches: counted([1, 'throw']), onNote: () => undefined },
    );
    await expect(collected(stream)).rejects.toThrow('no such number');
    expect(raised(end)).toBe(true);
  });

  it('fails as what it is fed from does, and ends its function', async () => {
    const end = flag();
    async function* broken() {
      yield await Promise.resolve(1);
      throw new Error('the database is gone');
    }
    const stream = thread.stream(
      numbers,
      { times: 1, flag: end },
      { batches: broken(), onNote: () => undefined },
    );
    await expect(collected(stream)).rejects.toThrow('the database is gone');
    await until(() => raised(end));
  });
});

function* forever() {
  for (let number = 1; ; number++) yield number;
}
