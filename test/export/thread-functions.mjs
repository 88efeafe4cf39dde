// Functions for the tests of the export thread, made with `streamed` of the build.
import { setImmediate } from 'node:timers/promises';
import { streamed } from '../../dist/documents/thread/streamed.js';

/** Yields the numbers of the batches, each as four bytes, repeated `times` times. Raises the flag at its end. */
export const numbers = streamed(async function* ({ times, flag }, { batches, note }) {
  try {
    for await (const batch of batches) {
      if (batch === 'throw') throw new TypeError('no such number');
      note(batch);
      yield new Uint8Array(new Uint32Array(times).fill(batch).buffer);
    }
  } finally {
    if (flag) raise(flag);
  }
});

export const endless = streamed(async function* (flag) {
  try {
    for (;;) {
      yield new Uint8Array(10_000);
      await setImmediate();
    }
  } finally {
    raise(flag);
  }
});

/** Blocks the thread until another thread raises the flag. */
export function waits(flag) {
  return Atomics.wait(new Int32Array(flag), 0, 0, 20_000) === 'timed-out'
    ? new Uint8Array(0)
    : new Uint8Array([7]);
}

export const ends = () => process.exit(3);

/** Returns its result, and then makes the thread fail. */
export const endsLater = (flag) => {
  setTimeout(() => {
    raise(flag);
    throw new Error('a failure after the result');
  }, 10);
  return new Uint8Array([1]);
};

export function fillsMemory() {
  const held = [];
  for (;;) held.push(new Array(1_000_000).fill(held.length));
}

export const bytesOf = (text) => Buffer.from(text);

function raise(flag) {
  Atomics.store(new Int32Array(flag), 0, 1);
  Atomics.notify(new Int32Array(flag), 0);
}
