import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let taken = pool.length;

/**
 * Random bytes that nobody else gets, for ids and initialization vectors: asked of the system for many at once, which
 * each call of its own would pay for. They stay in memory for a while, so nothing secret is made of them.
 */
export function publicRandomBytes(count: number): Buffer {
  if (count > pool.length - taken) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return Buffer.from(pool.subarray(taken - count, taken));
}
