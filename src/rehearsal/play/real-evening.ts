import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../../common/crypto/ids.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { Database } from '../../data/database.js';
import type { StopReason } from './dto/play.dto.js';
import { REAL_DONATION_SINCE } from './play.sql.js';

const QUIET_MS = 600_000;
/** One request in a hundred may take longer. */
const SLOW_SECONDS = 0.25;
const WINDOW_MS = 60_000;

/**
 * Sees if a real event needs the server. Played guests do not send HTTP requests, so the measured records are those of tills:
 * of real events, and of the tills of rehearsals.
 */
@Injectable()
export class RealEvening {
  private readonly readings: { readonly at: number; readonly all: number; readonly slow: number }[] = [];

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Returns the reason for which a played evening must stop, if any.
   * @param since begin of the evening; earlier records are not judged
   */
  async reasonToStop(since: Date, now = Date.now()): Promise<StopReason | undefined> {
    const recent = await this.database.query(REAL_DONATION_SINCE, [firstIdAt(new Date(now - QUIET_MS))]);
    if (recent.length > 0) return 'real_donation';
    return (await this.isSlow(since.getTime(), now)) ? 'slow_recording' : undefined;
  }

  private async isSlow(since: number, now: number): Promise<boolean> {
    const reading = { at: now, ...(await this.metrics.slowRequests('POST', '/donations', SLOW_SECONDS)) };
    while ((this.readings[0]?.at ?? now) < Math.max(since, now - WINDOW_MS)) this.readings.shift();
    this.readings.push(reading);
    const first = this.readings[0] ?? reading;
    return reading.slow - first.slow > (reading.all - first.all) / 100;
  }
}
