import { randomFillSync, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

const pool = Buffer.alloc(4096);
let taken = pool.length;

/**
 * Returns unique random bytes for ids and initialization vectors. They are fetched from the system in blocks, because each call is
 * expensive. They stay in memory for a while, so do not use them for secrets.
 */
export function publicRandomBytes(count: number): Buffer {
  if (count > pool.length - taken) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return Buffer.from(pool.subarray(taken - count, taken));
}

/** Number of ids cut from one text. */
const HEX_IDS = 64;
const HEX_LENGTH = 32;
let hex = '';
let cut = 0;

/** Returns a unique id of 32 hexadecimal digits, cut from a longer text. A UUID would need several string operations. */
export function newHexId(): string {
  if (cut === hex.length) {
    hex = publicRandomBytes((HEX_IDS * HEX_LENGTH) / 2).toString('hex');
    cut = 0;
  }
  cut += HEX_LENGTH;
  return hex.slice(cut - HEX_LENGTH, cut);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Small corrections of the clock are common. After a larger one, the earlier time was wrong. */
const SET_BACK_MS = 10_000;
/** Sequence numbers within one millisecond; they start at a random number and count up. */
const SEQUENCES = 2 ** 31;

let last = { msecs: -Infinity, seq: 0 };

/**
 * Returns a new UUID v7: ordered by time and strictly increasing within this process. Exception: after a clock that was hours
 * ahead is corrected, it decreases, because the time of a donation is read from its id.
 */
export function newId(): string {
  const now = Date.now();
  const { msecs, seq } = last;
  if (now > msecs || now < msecs - SET_BACK_MS) last = { msecs: now, seq: randomInt(SEQUENCES) };
  else last = { msecs, seq: seq + 1 };
  return v7({ msecs: last.msecs, seq: last.seq, random: publicRandomBytes(16) });
}

export const isId = (text: string): boolean => UUID.test(text);

/** Returns the time in a UUID v7, in milliseconds. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** Returns the smallest UUID v7 of a millisecond: a bound for "made at or after". */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
