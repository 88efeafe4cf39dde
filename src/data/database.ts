import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { AppConfig } from '../config/app-config.js';
import { connectionOptions, ConnectionPool, isPoisoned } from './connections.js';

/** A named statement. PostgreSQL parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs statements. Implemented by the pool and by a transaction. */
export interface SqlExecutor {
  /** Returns rows with snake_case columns: bigint columns as bigint, timestamps as Date, bytea as Buffer. */
  query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** An open transaction. Functions that must run in a transaction have it as their first parameter. */
export interface Transaction extends SqlExecutor {
  /**
   * Sends a statement without waiting for its answer. PostgreSQL runs the statements in order, and the commit waits for all
   * answers.
   * @param rows the required number of changed rows; if absent, any number is accepted
   */
  write(statement: Statement, values: readonly unknown[], rows?: number): void;
  /**
   * Runs an action at the end of the transaction, directly before the commit. Use it for locks that many transactions need, so
   * that each transaction holds them only briefly.
   */
  beforeCommit(action: () => Promise<void>): void;
  /** Runs an action after the commit, never after a rollback. */
  afterCommit(action: () => void): void;
}

const INT8 = 20;
/** Reads bigint columns as bigint. pg reads all other types as usual. */
export const PG_TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary'): unknown =>
    oid === INT8
      ? (text: string) => BigInt(text)
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

// serialization_failure and deadlock_detected: the transaction was rolled back and can run again.
const TRANSIENT = new Set(['40001', '40P01']);
const ATTEMPTS = 5;
// in_failed_sql_transaction
const ABORTED = '25P02';

/** A write changed more or fewer rows than required; its transaction is rolled back. */
export class UnexpectedRowsError extends Error {
  constructor(
    readonly statement: Statement,
    rows: number | null,
  ) {
    super(`${statement.name} changed ${rows ?? 0} rows`);
  }
}

/** The connection pool, and transactions of raw statements. Prisma uses the same pool. */
@Injectable()
export class Database implements SqlExecutor, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly connections: ConnectionPool;

  get pool(): pg.Pool {
    return this.connections;
  }

  constructor(private readonly config: AppConfig) {
    this.connections = new ConnectionPool(config.databaseUrl, config.databasePoolSize, config.databaseTimes);
    // The pool replaces a broken idle connection. Without this listener, the error of the connection would end the process.
    this.pool.on('error', (error) => {
      this.logger.warn(`The server or the network closed an idle database connection: ${error.message}`);
    });
  }

  /** Refuses or allows writes, for a server that must stop writing. Refused writes get 503, and reads still work. */
  refuseWrites(refused: boolean): void {
    this.connections.refuseWrites(refused);
  }

  /**
   * Runs one statement.
   * @param deadlineMs maximum time for the answer. After this time the connection is dropped, and the statement may or may not
   * have had an effect.
   */
  async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
    deadlineMs?: number,
  ): Promise<Row[]> {
    const limit = limitOf(deadlineMs);
    return await this.retried(async () => {
      const result = await this.pool.query<Row>({
        ...statement,
        ...limit,
        values: [...values],
        types: PG_TYPES,
      });
      return result.rows;
    });
  }

  /**
   * Runs `work` in one READ COMMITTED transaction and commits it. After a temporary conflict, `work` runs again, at most five
   * times in total. So `work` must have no effect outside the database. Do not make network calls in `work`.
   * @param deadlineMs maximum time for the answer to each statement, as in `query`
   */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result> {
    return await this.retried(() => this.attempt(work, 'BEGIN', deadlineMs));
  }

  /** Runs several reads on one snapshot. They do not see commits made after the first read. */
  async snapshot<Result>(work: (db: SqlExecutor) => Promise<Result>): Promise<Result> {
    return await this.retried(() => this.attempt(work, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
  }

  private async attempt<Result>(
    work: (tx: Transaction) => Promise<Result>,
    begin = 'BEGIN',
    deadlineMs?: number,
  ): Promise<Result> {
    const limit = limitOf(deadlineMs);
    const borrowed = await this.connections.borrow();
    const { client } = borrowed;
    const writes: Promise<void>[] = [];
    const last: (() => Promise<void>)[] = [];
    const actions: (() => void)[] = [];
    let firstFailure: unknown;
    let isOpen = false;
    let isOver = false;
    // BEGIN is sent in one packet with the reads that follow.
    const opened = client.query({ ...limit, name: begin, text: begin }).then(() => {
      isOpen = true;
    });
    opened.catch(() => undefined);
    /** True as soon as a statement waits. Later statements then wait too, so that the order stays the same. */
    let waits = false;
    const run = async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
      // A write waits until the transaction is open. Otherwise, if BEGIN failed, the write would be committed alone.
      waits ||= !statement.text.startsWith('SELECT');
      if (waits && !isOpen) await opened;
      if (isOver) throw new Error(`${statement.name} was sent after the end of its transaction`);
      try {
        return await client.query<Row>({ ...statement, ...limit, values: [...values], types: PG_TYPES });
      } catch (error) {
        firstFailure ??= error;
        throw error;
      }
    };
    try {
      const result = await work({
        query: async <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
          (await run<Row>(statement, values)).rows,
        write: (statement, values, rows) => {
          const written = run(statement, values).then(({ rowCount }) => {
            if (rows !== undefined && rowCount !== rows) throw new UnexpectedRowsError(statement, rowCount);
          });
          written.catch(() => undefined);
          writes.push(written);
        },
        beforeCommit: (action) => last.push(action),
        afterCommit: (action) => actions.push(action),
      });
      for (const action of last) await action();
      await Promise.all([opened, ...writes]);
      isOver = true;
      await client.query({ ...limit, text: 'COMMIT' });
      for (const action of actions) action();
      return result;
    } catch (error) {
      isOver = true;
      await client
        .query({ ...limit, text: 'ROLLBACK' })
        .catch((failure: unknown) => (borrowed.broken ??= failure as Error));
      // After a failed write, PostgreSQL refuses all further statements, so the first error is the real one.
      throw sqlStateOf(error) === ABORTED ? firstFailure : error;
    } finally {
      // A connection in an unknown state must not serve the next request.
      this.connections.giveBack(borrowed);
    }
  }

  /** Runs `work` again after a temporary conflict. After an outdated connection, runs `work` again only once. */
  async retried<Result>(work: () => Promise<Result>): Promise<Result> {
    let poisoned = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (isPoisoned(error) && !poisoned) {
          poisoned = true;
          this.connections.outdate(error);
          continue;
        }
        if (attempt >= ATTEMPTS || !TRANSIENT.has(sqlStateOf(error) ?? '')) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt));
      }
    }
  }

  /**
   * Returns a separate connection for a stream, because a stream takes as long as its reader. Pooled connections limit the time
   * of each answer and pipeline their statements. The caller must end the connection.
   */
  async connectForStream(name: string): Promise<pg.Client> {
    const { databaseUrl, databaseTimes } = this.config;
    const client = new pg.Client(connectionOptions(databaseUrl, name, { ...databaseTimes, statementMs: 0 }));
    // The stream itself reports a broken connection. This listener only prevents the end of the process.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

const limitOf = (deadlineMs: number | undefined) =>
  deadlineMs === undefined ? {} : { query_timeout: deadlineMs };

/** True for PostgreSQL's unique violation. With `constraint`, true only for this constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || violated === constraint);
}

// Error code for a RESTRICT key: 23503 up to PostgreSQL 17, 23001 from PostgreSQL 18 on.
const REFERENCED = new Set(['23503', '23001']);

/**
 * True for PostgreSQL's foreign key violation: a row is still referenced, or a referenced row is missing. With `constraint`,
 * true only for this constraint.
 */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: string; constraint?: string };
  return code !== undefined && REFERENCED.has(code) && (constraint === undefined || violated === constraint);
}
