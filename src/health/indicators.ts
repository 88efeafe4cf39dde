import { getHeapStatistics } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService, MemoryHealthIndicator } from '@nestjs/terminus';
import { within } from '../common/concurrency/within.js';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { RecordingFailures } from '../common/recording-failures.js';
import { CollationCheck } from '../data/schema/collation-check.js';
import { Database } from '../data/database.js';
import { SchemaCheck } from '../data/schema/schema-check.js';
import { RedisService } from '../redis/redis.service.js';
import { Books } from './books.js';
import { LATE_SECONDS } from './books.sql.js';
import { Backlogs } from '../common/concurrency/concurrency.js';

const TIMEOUT_MS = 2_000;
// Drops the connection after a timeout. Otherwise, probes would fill the pool with dead connections.
const PING = {
  name: 'health_ping',
  text: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
  query_timeout: TIMEOUT_MS,
};
// On a healthy database, no query takes this long. The load balancer should then use another process.
const STUCK_MS = 5_000;
// Maximum share of V8's heap limit. Above this share, the garbage collector runs almost all the time, and the process will soon
// crash.
const HEAP_SHARE = 0.92;

/** Checks of the parts of this service. A part that is down reports the reason. */
@Injectable()
export class Indicators {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly memory: MemoryHealthIndicator,
    private readonly databaseClient: Database,
    private readonly redisClient: RedisService,
    private readonly schema: SchemaCheck,
    private readonly collations: CollationCheck,
    private readonly backlogs: Backlogs,
    private readonly books: Books,
    private readonly failures: RecordingFailures,
  ) {}

  async database() {
    const indicator = this.indicators.check('database');
    const problem = await problemOf(
      this.databaseClient.pool
        .query<{ isReadOnly: boolean }>(PING)
        .then(({ rows }) => (rows[0]?.isReadOnly ? 'is read-only' : undefined)),
    );
    if (problem) return indicator.down(problem);
    // A changed collation does not make the database count as down. Money does not depend on the order of text, and a restart
    // would not repair an index.
    let collation: string | undefined;
    await inTime(this.collations.changed().then((changed) => (collation = changed ? 'changed' : undefined)));
    return collation ? indicator.up({ collation }) : indicator.up();
  }

  /**
   * Up if the database answers, has the schema of this release and accepts recordings, and if no recording has waited for long.
   */
  async databaseReady() {
    const indicator = this.indicators.check('database');
    const problem = (await problemOf(this.schema.problem())) ?? this.failures.problem() ?? this.stuck();
    return problem ? indicator.down(problem) : indicator.up();
  }

  async memoryHeap() {
    return await this.memory.checkHeap('memory_heap', getHeapStatistics().heap_size_limit * HEAP_SHARE);
  }

  /** Reports the relay only if it is stuck. A stuck relay does not make the service count as down. */
  async relay() {
    let waiting = 0;
    const asked = this.books
      .read()
      .then(({ oldestUnpublished }) => (waiting = Math.floor(oldestUnpublished)));
    if (!(await inTime(asked)) || waiting < LATE_SECONDS) return {} as HealthIndicatorResult;
    return this.indicators.check('relay').up({ state: 'standing still', waitingSeconds: waiting });
  }

  /** Reports followers only if some are stalled. Stalled followers do not make the service count as down. */
  async followers() {
    let stalled = 0;
    const asked = this.books.read().then(({ stalledFollowers }) => (stalled = stalledFollowers));
    if (!(await inTime(asked)) || stalled === 0) return {} as HealthIndicatorResult;
    return this.indicators.check('followers').up({ state: 'stalled', feeds: stalled });
  }

  /** Up even without Redis, because this process then counts in memory. */
  async redis() {
    const indicator = this.indicators.check('redis');
    if (!this.redisClient.client) return indicator.up({ mode: 'in-process' });
    const problem = await problemOf(this.redisClient.problem());
    return problem ? indicator.down(problem) : indicator.up();
  }

  private stuck(): string | undefined {
    const stuck = this.backlogs.read().filter(([, ageMs]) => ageMs > STUCK_MS);
    const said = stuck.map(([name, ageMs]) => `${name} has been waiting for ${Math.round(ageMs / 1000)} s`);
    return said.length > 0 ? said.join(', ') : undefined;
  }
}

// PostgreSQL error codes. 28…: authentication failed; 42501: the role has no permission for the tables.
const DENIED = /^(28...|42501)$/;

/** Returns the problem that the check found, or the reason why the database did not answer. */
async function problemOf(asked: Promise<string | undefined>): Promise<string | undefined> {
  let problem: string | undefined;
  const answered = asked.then(
    (found) => (problem = found),
    (error: unknown) => {
      if (!DENIED.test(sqlStateOf(error) ?? '')) throw error;
      problem = 'permission denied';
    },
  );
  return (await inTime(answered)) ? problem : 'unreachable';
}

/** True if the work succeeds in time. */
const inTime = (work: Promise<unknown>): Promise<boolean> =>
  within(TIMEOUT_MS, work).then(
    () => true,
    () => false,
  );
