import { Injectable, Logger } from '@nestjs/common';
import { answerCache } from '../../common/caching/answer-cache.js';
import type pg from 'pg';
import { Database } from '../database.js';

const KEEP_MS = 60_000;
const TIMEOUT_MS = 2_000;

interface Difference {
  readonly name: string;
  readonly recorded: string;
  readonly actual: string | null;
}

// Reads the database's default collation and the collations of indexes. Constant collations such as C have no version.
const READ = {
  name: 'collation_check',
  query_timeout: TIMEOUT_MS,
  text: `SELECT * FROM (
      SELECT 'default' AS name, datcollversion AS recorded, pg_database_collation_actual_version(oid) AS actual
      FROM pg_database WHERE datname = current_database()
      UNION ALL
      SELECT collname, collversion, pg_collation_actual_version(oid) FROM pg_collation
      WHERE oid IN (SELECT unnest(indcollation) FROM pg_index)) AS used
    WHERE recorded IS DISTINCT FROM actual AND recorded IS NOT NULL ORDER BY name`,
};

/** Returns the changed collations in one line; undefined if none has changed. */
export async function changedCollations(client: pg.Client | pg.Pool): Promise<string | undefined> {
  const { rows } = await client.query<Difference>(READ);
  if (rows.length === 0) return undefined;
  const said = rows
    .map(({ name, recorded, actual }) => `${name}: ${recorded}, now ${actual ?? 'none'}`)
    .join('; ');
  return `of the database changed after its indexes were built (${said}): text may be sorted and searched wrongly`;
}

/**
 * Checks whether collations have changed. A new operating system image can contain other collations, and PostgreSQL only warns
 * about this. Text may then be sorted and searched wrongly until a REINDEX. Generated keys use the collation C, which never
 * changes, so nothing is counted twice.
 */
@Injectable()
export class CollationCheck {
  private readonly logger = new Logger(CollationCheck.name);
  private readonly kept = answerCache<'state', 'changed' | 'unchanged'>(
    { max: 1, keptMs: KEEP_MS },
    async () => {
      const problem = await changedCollations(this.database.pool);
      this.report(problem);
      return problem === undefined ? 'unchanged' : 'changed';
    },
  );
  private reported: string | undefined;

  constructor(private readonly database: Database) {}

  /**
   * True if a collation has changed. Checks at most once a minute, and logs one line for each change. Rejects if the database
   * is unavailable.
   */
  async changed(): Promise<boolean> {
    return (await this.kept.fetch('state')) === 'changed';
  }

  private report(problem: string | undefined): void {
    if (problem === this.reported) return;
    this.reported = problem;
    if (problem !== undefined)
      this.logger.warn(
        `The collation ${problem}. Run REINDEX as described in docs/operating.md under "Collations".`,
      );
  }
}
