import { randomFillSync, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

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

/** So many are cut from one text. */
const HEX_IDS = 64;
const HEX_LENGTH = 32;
let hex = '';
let cut = 0;

/**
 * An id that only has to be unlike all others: 32 hexadecimal digits, a piece of a longer text. A UUID is put together of its
 * digits, each step a text of its own.
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

/** Clocks are set back by a little all the time. By more than this, the time before was wrong. */
const SET_BACK_MS = 10_000;
/** Of the ids of one millisecond; they begin somewhere and count on. */
const SEQUENCES = 2 ** 31;

let last = { msecs: -Infinity, seq: 0 };

/**
 * A new UUID v7: time-ordered, and strictly increasing within this process. Only where the clock was hours ahead and is
 * set right it goes back too: when a donation was made is read from its id.
 */
export function newId(): string {
  const now = Date.now();
  const { msecs, seq } = last;
  if (now > msecs || now < msecs - SET_BACK_MS) last = { msecs: now, seq: randomInt(SEQUENCES) };
  else last = { msecs, seq: seq + 1 };
  return v7({ msecs: last.msecs, seq: last.seq, random: publicRandomBytes(16) });
}

export const isId = (text: string): boolean => UUID.test(text);

/** The millisecond that a UUID v7 was made in. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** The smallest UUID v7 of a millisecond: a bound for "made at or after". */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
