import { Injectable, Logger } from '@nestjs/common';
import { answerCache } from '../../common/caching/answer-cache.js';
import { Database } from '../database.js';

const KEEP_MS = 60_000;
const TIMEOUT_MS = 2_000;

interface Difference {
  readonly name: string;
  readonly recorded: string;
  readonly actual: string | null;
}

// The database's own collation, and those that an index names. C and others that never change have no version.
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

/**
 * Whether the order of text changed below the indexes: a new image of the operating system brings other collations, and
 * PostgreSQL only warns. Text may then be sorted and found wrongly until the indexes are made again. Keys that machines make
 * have the collation C, which never changes: nothing is counted twice for it.
 */
@Injectable()
export class CollationCheck {
  private readonly logger = new Logger(CollationCheck.name);
  private readonly kept = answerCache<'state', 'changed' | 'unchanged'>(
    { max: 1, keptMs: KEEP_MS },
    async () => {
      const { rows } = await this.database.pool.query<Difference>(READ);
      this.report(rows);
      return rows.length > 0 ? 'changed' : 'unchanged';
    },
  );
  private reported = '';

  constructor(private readonly database: Database) {}

  /** Looked at once a minute. Logs one line when it finds a change. Rejects when the database cannot be asked. */
  async changed(): Promise<boolean> {
    return (await this.kept.fetch('state')) === 'changed';
  }

  private report(differences: readonly Difference[]): void {
    const said = differences
      .map(({ name, recorded, actual }) => `${name}: ${recorded}, now ${actual ?? 'none'}`)
      .join('; ');
    if (said === this.reported) return;
    this.reported = said;
    if (said)
      this.logger.warn(
        `The collation of the database changed below its indexes (${said}): text may be sorted and found wrongly. ` +
          'REINDEX as docs/operating.md says under "Collations".',
      );
  }
}
