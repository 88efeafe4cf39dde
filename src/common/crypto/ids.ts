import { randomFillSync, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

const pool = Buffer.alloc(4096);
let taken = pool.length;

/**
 * Returns unique random bytes for ids and initialization vectors. Because each call of the system is slow, the bytes are
 * fetched in blocks. A block stays in memory for a while, so do not use these bytes for secrets.
 */
export function publicRandomBytes(count: number): Buffer {
  if (count > pool.length - taken) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return Buffer.from(pool.subarray(taken - count, taken));
}

/** Number of ids in one long text of random digits. */
const HEX_IDS = 64;
const HEX_LENGTH = 32;
let hex = '';
let cut = 0;

/**
 * Returns a unique id of 32 hexadecimal digits: a part of a longer text. This is faster than a UUID, which needs several string
 * operations.
 */
export function newHexId(): string {
  if (cut === hex.length) {
    hex = publicRandomBytes((HEX_IDS * HEX_LENGTH) / 2).toString('hex');
    cut = 0;
  }
  cut += HEX_LENGTH;
  return hex.slice(cut - HEX_LENGTH, cut);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Maximum correction of the clock for which ids still increase. After a larger correction, the earlier time was wrong, and new
 * ids use the corrected time.
 */
const SET_BACK_MS = 10_000;
/** Sequence numbers within one millisecond. They start at a random number and increase by one. */
const SEQUENCES = 2 ** 31;

let last = { msecs: -Infinity, seq: 0 };

/**
 * Returns a new UUID v7. These ids are ordered by time and always increase within this process. Exception: if a clock was more
 * than ten seconds ahead and is corrected, the next id is smaller, because the time of a donation is read from its id.
 */
export function newId(): string {
  const now = Date.now();
  const { msecs, seq } = last;
  if (now > msecs || now < msecs - SET_BACK_MS) last = { msecs: now, seq: randomInt(SEQUENCES) };
  else last = { msecs, seq: seq + 1 };
  return v7({ msecs: last.msecs, seq: last.seq, random: publicRandomBytes(16) });
}

export const isId = (text: string): boolean => UUID.test(text);

/** Returns the time in a UUID v7, with a precision of a millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** Returns the smallest UUID v7 of a millisecond. All rows made at or after this time have this id or a larger one. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
