import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../common/access/principal.js';
import { Audit } from '../audit/audit.js';
import type { Transaction } from '../data/database.js';
import { Outbox } from '../outbox/outbox.js';
import { CLOSE_INTERVAL, OPEN_INTERVAL, type PoolRow, SET_STATUS } from './match.sql.js';
import { dueMoves, type PoolStatus } from './pool-status.js';

/** Changes the status of pools, by hand or because their time has come. */
@Injectable()
export class PoolClock {
  constructor(
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /** Opens and ends locked pools whose time has come. Returns all given pools with their present status. */
  async advance(tx: Transaction, pools: readonly PoolRow[], now = new Date()): Promise<PoolRow[]> {
    const result: PoolRow[] = [];
    for (const pool of pools) {
      let present = pool;
      for (const { to, at } of dueMoves(timesOf(pool), now)) {
        present = this.move(tx, present, to, at);
        await this.audit.record(SYSTEM, `match_pool.${to === 'open' ? 'open' : 'end'}`, pool.id, {}, tx);
      }
      result.push(present);
    }
    return result;
  }

  /** Writes a new status of a locked pool. `at` is the time from which the pool is open or no longer open. */
  move(
    tx: Transaction,
    pool: PoolRow,
    to: PoolStatus,
    at: Date,
    settlement: { readonly note: string | null } = { note: null },
  ): PoolRow {
    if (to === 'open') tx.write(OPEN_INTERVAL, [pool.id, at]);
    if (pool.status === 'open') tx.write(CLOSE_INTERVAL, [pool.id, at]);
    const endedAt = to === 'ended' ? at : null;
    tx.write(SET_STATUS, [pool.id, to, endedAt, to === 'settled', settlement.note], 1);
    this.outbox.append(tx, { eventId: pool.event_id, topic: 'match.changed', subjectId: pool.id });
    return { ...pool, status: to, ended_at: endedAt ?? pool.ended_at, version: pool.version + 1 };
  }
}

export const timesOf = (pool: PoolRow) => ({
  status: pool.status,
  opensAt: pool.opens_at,
  closesAt: pool.closes_at,
  graceMinutes: pool.grace_minutes,
  isUsedUp: pool.drawn + pool.kept === pool.cap,
  usedUpAt: pool.used_up_at,
});
