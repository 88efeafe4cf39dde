import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import { DRAWS_FOR_LETTER, type LetterDrawRow } from './match.sql.js';
import { poolOf } from './match-pools.service.js';
import { owedOf } from './owed.js';

/** Most donations that a letter lists: about 450 pages. */
const MOST = 20_000;
const TAIL = 8;

/** A pool as its letter names it. Amounts in minor units. */
export interface LetterPool {
  readonly eventId: string;
  readonly name: string;
  readonly matcher: string | null;
  readonly currency: string;
  readonly cap: bigint;
  readonly drawn: bigint;
  readonly gifts: number;
  readonly kept: bigint;
  readonly settled: bigint;
  /** Negative if the matcher paid too much. */
  readonly due: bigint;
  /** A day: `2026-12-31`. */
  readonly dueOn: string | null;
  readonly isGivenAnyway: boolean;
  /** False from the end of the pool on. */
  readonly isRunning: boolean;
}

/** A donation that drew, without its donor. */
export interface LetterDraw {
  /** Receipt number, or the end of the id. */
  readonly number: string;
  readonly givenAt: Date;
  readonly base: bigint;
  readonly amount: bigint;
}

/** Reads the facts of the letter to a matcher. */
@Injectable()
export class MatchLetterFacts {
  constructor(private readonly database: Database) {}

  /**
   * The sums and the draws are read in one snapshot. Oldest donation first.
   * @throws NotFoundError `MATCH_POOL_NOT_FOUND`
   */
  async of(id: string): Promise<{ pool: LetterPool; draws: LetterDraw[] }> {
    return await this.database.snapshot(async (db) => {
      const row = await poolOf(db, id);
      const draws = await db.query<LetterDrawRow>(DRAWS_FOR_LETTER, [row.id, MOST]);
      const pool = {
        eventId: row.event_id,
        name: row.name,
        matcher: row.matcher_name,
        currency: row.currency,
        cap: row.cap,
        drawn: row.drawn,
        gifts: row.gifts,
        kept: row.kept,
        settled: row.settled,
        due: owedOf(row) - row.settled,
        dueOn: row.due_on,
        isGivenAnyway: row.remainder === 'given_anyway',
        isRunning: row.status !== 'ended' && row.status !== 'settled' && row.status !== 'cancelled',
      };
      return {
        pool,
        draws: draws.map((draw) => ({
          number: draw.receipt_number ?? draw.donation_id.slice(-TAIL).toUpperCase(),
          givenAt: draw.given_at,
          base: draw.base,
          amount: draw.amount,
        })),
      };
    });
  }
}
