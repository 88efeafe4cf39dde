// What the tests of the thread of exports run on it, with the build's own `streamed`.
import { setImmediate } from 'node:timers/promises';
import { streamed } from '../../dist/documents/thread/streamed.js';

/** The numbers of the batches, each as four bytes, `times` each; the flag is raised when it ends. */
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

/** Holds the thread until the flag is raised from outside. */
export function waits(flag) {
  return Atomics.wait(new Int32Array(flag), 0, 0, 20_000) === 'timed-out'
    ? new Uint8Array(0)
    : new Uint8Array([7]);
}

export const ends = () => process.exit(3);

/** Once nothing of it is awaited any more. */
export const endsLater = (flag) => {
  setTimeout(() => {
    raise(flag);
    throw new Error('ended by nobody');
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
