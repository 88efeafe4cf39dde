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

/** Copies each piece, because the thread uses its memory again. */
async function collected(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}

const text = async () => (await thread.bytes(bytesOf, 'drawn')).toString();

describe('the export thread', () => {
  it('the export thread produces bytes', async () => {
    expect(await text()).toBe('drawn');
  });

  it('the export thread works while the main thread works', async () => {
    const go = flag();
    const waits: ThreadFunction<SharedArrayBuffer, Uint8Array> = { file, name: 'waits' };
    // The function blocks its thread until the main thread releases it. So the main thread must not be blocked.
    const answer = thread.bytes(waits, go);
    await setTimeout(20);
    Atomics.store(new Int32Array(go), 0, 1);
    Atomics.notify(new Int32Array(go), 0);
    expect([...(await answer)]).toEqual([7]);
  });

  it.each([
    ['ends', 'ends'],
    ['runs out of memory', 'fillsMemory'],
  ])('an export thread that %s loses only the functions that ran on it', async (_, name) => {
    const last: ThreadFunction<null, Uint8Array> = { file, name };
    let read: (batch: number) => void = () => undefined;
    const batches = (async function* () {
      yield await new Promise<number>((resolve) => (read = resolve));
    })();
    const stream = collected(thread.stream(numbers, { times: 1 }, { batches, onNote: () => undefined }));
    const lost = expect(stream).rejects.toThrow();
    await expect(thread.bytes(last, null)).rejects.toThrow();
    // The source of the batches still returns a batch after the thread has failed.
    read(1);
    await lost;
    expect(await text()).toBe('drawn');
  });

  it('an export thread that fails while idle does not end the process', async () => {
    const failed = flag();
    const later: ThreadFunction<SharedArrayBuffer, Uint8Array> = { file, name: 'endsLater' };
    await thread.bytes(later, failed);
    await until(() => raised(failed), 'the failure of the thread');
    // The process notices the failure a little later. Requests that it sends before that are lost.
    await until(async () => (await text().catch(() => 'lost')) === 'drawn', 'another thread');
    expect(await text()).toBe('drawn');
  });
});

describe('a stream from the export thread', () => {
  it('a stream returns every piece once, in order, and the notes separately', async () => {
    const batches = Array.from({ length: 50 }, (_, index) => index + 1);
    const notes: number[] = [];
    const stream = thread.stream(
      numbers,
      // Each batch makes 80,000 bytes, which is more than the largest piece.
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

  it('a stream without batches ends', async () => {
    const stream = thread.stream(numbers, { times: 1 }, { batches: counted([]), onNote: () => undefined });
    expect(await collected(stream)).toHaveLength(0);
  });

  it('a stream stops in both threads when its reader leaves', async () => {
    const [end, over] = [flag(), { batches: false }];
    const batches = counted(forever(), () => (over.batches = true));
    const stream = thread.stream(numbers, { times: 20_000, flag: end }, { batches, onNote: () => undefined });
    for (let taken = 0; taken < 3; taken++) await stream.next();
    await stream.return();
    expect([raised(end), over.batches]).toEqual([true, true]);
  });

  it('a stream that needs no batches stops when its reader leaves', async () => {
    const end = flag();
    const endless: ThreadStream<SharedArrayBuffer, never, never> = { file, name: 'endless' };
    const stream = thread.stream(endless, end, { batches: counted<never>([]), onNote: () => undefined });
    await stream.next();
    await stream.return();
    expect(raised(end)).toBe(true);
  });

  it('a stream reads only a few batches ahead of its reader', async () => {
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
    // Four pieces in transit need three batches. One more piece waits for space, and one is ready for the next read.
    expect(asked).toBeLessThanOrEqual(6);
    await stream.return();
  });

  it('a stream fails with the error of its function', async () => {
    const end = flag();
    const stream = thread.stream(
      numbers,
      { times: 1, flag: end },
      { batches: counted([1, 'throw']), onNote: () => undefined },
    );
    await expect(collected(stream)).rejects.toThrow('no such number');
    expect(raised(end)).toBe(true);
  });

  it('a stream fails with the error of its source, and its function ends', async () => {
    const end = flag();
    async function* broken() {
      yield await Promise.resolve(1);
      throw new Error('the database is unreachable');
    }
    const stream = thread.stream(
      numbers,
      { times: 1, flag: end },
      { batches: broken(), onNote: () => undefined },
    );
    await expect(collected(stream)).rejects.toThrow('the database is unreachable');
    await until(() => raised(end));
  });
});

function* forever() {
  for (let number = 1; ; number++) yield number;
}
