import { Injectable } from '@nestjs/common';
import type { SqlExecutor } from '../data/database.js';
import { FIGURES_OF_EVENT, type PoolFiguresRow } from './match.sql.js';
import { owedOf } from './owed.js';
import type { PoolStatus } from './pool-status.js';

/** Number of donations and their amount in minor units. */
export interface PoolSum {
  readonly count: number;
  readonly amount: bigint;
}

/** The sums of a pool for reports. */
export interface PoolFigures {
  readonly id: string;
  readonly name: string;
  /** Null: a supporter without a name. */
  readonly matcher: string | null;
  readonly status: PoolStatus;
  readonly currency: string;
  readonly cap: bigint;
  readonly drawn: PoolSum;
  /** Kept for pledges. */
  readonly kept: PoolSum;
  /** Payments of the matcher without refunds. */
  readonly settled: PoolSum;
  /** Sum that the matcher still has to pay; negative if the matcher paid too much. */
  readonly due: bigint;
  /** A day: `2026-12-31`. */
  readonly dueOn: string | null;
}

/** Reads the sums of the pools of an event. */
@Injectable()
export class PoolReports {
  /** Drafts and cancelled pools are left out. Oldest first. */
  async ofEvent(db: SqlExecutor, eventId: string): Promise<PoolFigures[]> {
    const rows = await db.query<PoolFiguresRow>(FIGURES_OF_EVENT, [eventId]);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      matcher: row.matcher_name,
      status: row.status,
      currency: row.currency,
      cap: row.cap,
      drawn: { count: row.gifts, amount: row.drawn },
      kept: { count: row.pledges, amount: row.kept },
      settled: { count: row.payments, amount: row.settled },
      due: owedOf(row) - row.settled,
      dueOn: row.due_on,
    }));
  }
}
