import { Injectable } from '@nestjs/common';
import { isUnavailable } from './errors/unavailable.js';
import { sqlStateOf } from './errors/sql-state.js';

/** Number of consecutive failures that mean an outage. A single failure may be only a broken connection. */
const IN_A_ROW = 3;
/**
 * Time after the last failure when a server counts as healthy again. A server that was removed from the load balancer gets no
 * recordings, so it could never show that recordings succeed again.
 */
const FORGOTTEN_MS = 30_000;
// Missing permissions, and PostgreSQL's internal errors, such as a damaged table or index.
const BROKEN = /^(42501|XX...)$/;

/**
 * Tracks whether recording offline donations works. Counts only database failures, because an invalid donation does not make
 * later recordings fail.
 */
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

  /**
   * Returns the time in milliseconds since recordings began to fail. Returns 0 while recordings succeed, or some time after the
   * last failure.
   */
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
