import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { AppConfig } from '../config/app-config.js';
import { connectionOptions, ConnectionPool, isPoisoned } from './connections.js';

/** A named statement: the server parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs statements: the pool, or one transaction. */
export interface SqlExecutor {
  /** Rows with snake_case columns; bigint columns as bigint, timestamps as Date, bytea as Buffer. */
  query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** An open transaction. It is the first parameter of functions that must run inside one. */
export interface Transaction extends SqlExecutor {
  /**
   * Sends a statement without waiting for its answer: the server runs the statements in order, and the commit waits for all answers.
   * @param rows the required number of changed rows; without it, any number
   */
  write(statement: Statement, values: readonly unknown[], rows?: number): void;
  /**
   * Runs at the end of the transaction, directly before the commit: for locks that many transactions need and that must be
   * short.
   */
  beforeCommit(action: () => Promise<void>): void;
  /** Runs after the commit, never after a rollback. */
  afterCommit(action: () => void): void;
}

const INT8 = 20;
/** bigint columns as bigint; everything else as pg reads it. */
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

/** The connection pool and the transactions of the raw statements. Prisma shares the pool. */
@Injectable()
export class Database implements SqlExecutor, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly connections: ConnectionPool;

  get pool(): pg.Pool {
    return this.connections;
  }

  constructor(private readonly config: AppConfig) {
    this.connections = new ConnectionPool(config.databaseUrl, config.databasePoolSize, config.databaseTimes);
    // The pool replaces a broken idle connection. Without a listener its error would end the process.
    this.pool.on('error', (error) => {
      this.logger.warn(`Idle database connection broke: ${error.message}`);
    });
  }

  /** For a server that must stop writing: writes get 503, and reads still work. */
  refuseWrites(refused: boolean): void {
    this.connections.refuseWrites(refused);
  }

  /**
   * @param deadlineMs maximum time for the answer; after that the connection is dropped, and the statement may or may not have had an
   * effect
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
   * Runs `work` in one READ COMMITTED transaction and commits it. After a transient conflict it runs again, at most five
   * times, so it must have no effect outside the database. Do not make network calls inside.
   * @param deadlineMs like in `query`, for the answer to each statement
   */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result> {
    return await this.retried(() => this.attempt(work, 'BEGIN', deadlineMs));
  }

  /** Runs several reads on one snapshot: they do not see commits made meanwhile. */
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
    // Sent in one packet with the following reads.
    const opened = client.query({ ...limit, name: begin, text: begin }).then(() => {
      isOpen = true;
    });
    opened.catch(() => undefined);
    /** True once a statement waits, so that no later statement overtakes it. */
    let waits = false;
    const run = async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
      // No write is sent until the transaction is known to be open: otherwise it would be committed alone.
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
      // After a failed write, the server refuses all further statements.
      throw sqlStateOf(error) === ABORTED ? firstFailure : error;
    } finally {
      // A connection in an unknown state must not serve the next request.
      this.connections.giveBack(borrowed);
    }
  }

  /** Runs `work` again after a transient conflict, and once after an outdated connection. */
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
   * Returns a separate connection for a stream, which takes as long as its reader. Pooled connections limit the time of each
   * answer and pipeline their statements. The caller must end it.
   */
  async connectForStream(name: string): Promise<pg.Client> {
    const { databaseUrl, databaseTimes } = this.config;
    const client = new pg.Client(connectionOptions(databaseUrl, name, { ...databaseTimes, statementMs: 0 }));
    // The stream reports a broken connection. This listener only prevents the end of the process.
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

/** True for PostgreSQL's unique violation; with `constraint`, only for this one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || violated === constraint);
}

// Up to PostgreSQL 17 a RESTRICT key reports the first code, from 18 on the second.
const REFERENCED = new Set(['23503', '23001']);

/** True for PostgreSQL's foreign key violation (row still referenced, or reference missing); with `constraint`, only for this one. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: string; constraint?: string };
  return code !== undefined && REFERENCED.has(code) && (constraint === undefined || violated === constraint);
}
