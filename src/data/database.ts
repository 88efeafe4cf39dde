import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { AppConfig } from '../config/app-config.js';
import { connectionOptions, ConnectionPool, isPoisoned } from './connections.js';

/** A named statement: the server parses and plans it once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** What can run statements: the pool, or one transaction. */
export interface SqlExecutor {
  /** Rows with snake_case columns; bigint columns as bigint, timestamps as Date, bytea as Buffer. */
  query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** An open transaction. Comes first among the parameters of what must run inside one. */
export interface Transaction extends SqlExecutor {
  /**
   * Sends a statement whose answer decides nothing, and goes on: the server runs it in its turn, and the commit waits for it.
   * @param rows how many rows it must change; without, any number
   */
  write(statement: Statement, values: readonly unknown[], rows?: number): void;
  /**
   * Runs inside the transaction when its work is done, right before the commit: for locks that many transactions
   * want and that nobody should hold for longer than a moment.
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

// serialization_failure and deadlock_detected: the transaction did nothing and may be run again.
const TRANSIENT = new Set(['40001', '40P01']);
const ATTEMPTS = 5;
// in_failed_sql_transaction
const ABORTED = '25P02';

/** A write changed more or fewer rows than it must; its transaction is undone. */
export class UnexpectedRowsError extends Error {
  constructor(
    readonly statement: Statement,
    rows: number | null,
  ) {
    super(`${statement.name} changed ${rows ?? 0} rows`);
  }
}

/** The connection pool and the transactions of the raw statements; Prisma shares the pool. */
@Injectable()
export class Database implements SqlExecutor, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly connections: ConnectionPool;

  get pool(): pg.Pool {
    return this.connections;
  }

  constructor(private readonly config: AppConfig) {
    this.connections = new ConnectionPool(config.databaseUrl, config.databasePoolSize, config.databaseTimes);
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.pool.on('error', (error) => {
      this.logger.warn(`An idle database connection broke: ${error.message}`);
    });
  }

  /** For a server that must not write any more: whoever tries gets 503, and reads go on. */
  refuseWrites(refused: boolean): void {
    this.connections.refuseWrites(refused);
  }

  /** @param deadlineMs how long the answer may take; then the connection is given up, with or without an effect */
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
   * Runs `work` in one READ COMMITTED transaction and commits it; transient conflicts run it again, at most
   * five times, so it must have no effect outside the database. No network call belongs inside.
   * @param deadlineMs as of `query`, for the answer to each of its statements
   */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result> {
    return await this.retried(() => this.attempt(work, 'BEGIN', deadlineMs));
  }

  /** Reads by several statements what was true at one moment: whatever is committed meanwhile is in none of them. */
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
    // In one packet with the reads that follow it.
    const opened = client.query({ ...limit, name: begin, text: begin }).then(() => {
      isOpen = true;
    });
    opened.catch(() => undefined);
    /** Set as soon as something waits, so that nothing overtakes it. */
    let waits = false;
    const run = async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
      // Nothing is written before the transaction is known to be open: by itself each statement would be committed.
      waits ||= !statement.text.startsWith('SELECT');
      if (waits && !isOpen) await opened;
      if (isOver) throw new Error(`${statement.name} came after the end of its transaction`);
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
      // Behind a write that failed the server refuses all others.
      throw sqlStateOf(error) === ABORTED ? firstFailure : error;
    } finally {
      // A connection in an unknown state must not serve the next request.
      this.connections.giveBack(borrowed);
    }
  }

  /** Runs `work` again after a transient conflict, and once where a connection was no longer good. */
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
   * A connection of its own for a stream, which takes as long as its reader: the pool's have a limit for each answer, and
   * send the next statement before the last is answered. It must be ended.
   */
  async connectForStream(name: string): Promise<pg.Client> {
    const { databaseUrl, databaseTimes } = this.config;
    const client = new pg.Client(connectionOptions(databaseUrl, name, { ...databaseTimes, statementMs: 0 }));
    // The stream reports a broken connection; this listener only keeps it from ending the process.
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

/** Whether an error is PostgreSQL's "this already exists", of one named constraint where given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: string; constraint?: string };
  return code === '23505' && (constraint === undefined || violated === constraint);
}

// Up to PostgreSQL 17 a RESTRICT key reports the first, from 18 on the second.
const REFERENCED = new Set(['23503', '23001']);

/** Whether an error is PostgreSQL's "this is still referred to" (or "this refers to nothing"), of one key where given. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: string; constraint?: string };
  return code !== undefined && REFERENCED.has(code) && (constraint === undefined || violated === constraint);
}
