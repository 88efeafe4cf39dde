import { Injectable } from '@nestjs/common';
import { isUnavailable } from './errors/unavailable.js';
import { sqlStateOf } from './errors/sql-state.js';

/** One failure may be a connection that broke; so many in a row are none. */
const IN_A_ROW = 3;
/**
 * A server that is out of the balancer gets no recording that could succeed: after so long without one it counts as
 * well again, and the next failures say otherwise.
 */
const FORGOTTEN_MS = 30_000;
// Missing permissions, and what PostgreSQL calls internal, such as a damaged table or index.
const BROKEN = /^(42501|XX...)$/;

/**
 * Whether offline donations are being written. Only failures of the database count: what is wrong with one donation
 * says nothing of the next.
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

  /** For how long every recording has failed, in milliseconds; 0 while they succeed, or while none is tried. */
  get failingMs(): number {
    const now = performance.now();
    return this.inARow < IN_A_ROW || this.isForgotten(now) ? 0 : now - this.since;
  }

  /** For a probe; undefined while recordings succeed. */
  problem(): string | undefined {
    return this.failingMs > 0 ? `recordings fail${this.reason}` : undefined;
  }

  private isForgotten(now: number): boolean {
    return now - this.last > FORGOTTEN_MS;
  }
}
