import { Injectable } from '@nestjs/common';
import { isUnavailable } from './errors/unavailable.js';
import { sqlStateOf } from './errors/sql-state.js';

/** A single failure may be a broken connection; this many in a row are an outage. */
const IN_A_ROW = 3;
/**
 * A server removed from the load balancer gets no recordings that could succeed. After this time without one it counts as healthy
 * again, until the next failures.
 */
const FORGOTTEN_MS = 30_000;
// Missing permissions, and PostgreSQL's internal errors, such as a damaged table or index.
const BROKEN = /^(42501|XX...)$/;

/** Tracks if recording offline donations works. Only database failures count: an invalid donation says nothing about the next. */
@Injectable()
export class RecordingFailures {
  private inARow = 0;
  private since = 0;
  private last = -Infinity;
  private reason = '';

  succeeded(): void {
    this.inARow = 0;
  }

  failed(error: unknown): void {
    const state = sqlStateOf(error) ?? '';
    if (!isUnavailable(error) && !BROKEN.test(state)) return;
    const now = performance.now();
    if (this.inARow === 0 || this.isForgotten(now)) [this.inARow, this.since] = [0, now];
    this.inARow++;
    this.last = now;
    this.reason = state === '' ? '' : ` (${state})`;
  }

  /** Returns the time since recordings started to fail, in milliseconds; 0 while they succeed or nothing is recorded. */
  get failingMs(): number {
    const now = performance.now();
    return this.inARow < IN_A_ROW || this.isForgotten(now) ? 0 : now - this.since;
  }

  /** Problem text for a health probe; undefined while recordings succeed. */
  problem(): string | undefined {
    return this.failingMs > 0 ? `recordings fail${this.reason}` : undefined;
  }

  private isForgotten(now: number): boolean {
    return now - this.last > FORGOTTEN_MS;
  }
}
