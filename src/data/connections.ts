import { Socket } from 'node:net';
import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { sessionAddress } from './connect.js';
import { DATABASE_TIMES, type DatabaseTimes } from '../config/app-config.js';

// With these settings, the server notices within half a minute that a client's machine is unreachable, and releases the
// client's locks.
const KEEPALIVES = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** Options of every connection of the service. */
export function connectionOptions(
  databaseUrl: string,
  name: string,
  times: DatabaseTimes = DATABASE_TIMES,
): pg.ClientConfig {
  return {
    connectionString: sessionAddress(databaseUrl, KEEPALIVES),
    application_name: name,
    connectionTimeoutMillis: times.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: times.statementMs,
    lock_timeout: times.lockMs,
    idle_in_transaction_session_timeout: times.idleInTransactionMs,
  };
}

/**
 * Minimum time between two replacements of all connections. If new connections are also read-only, another replacement does not
 * help.
 */
const READ_ONLY_REST_MS = 1_000;

const READ_ONLY = 'SET default_transaction_read_only = on';

// Error codes of a lost connection: class 08, shutdown of the server (57P…), idle transaction.
const CONNECTION_LOST = /^(08...|57P..|25P03)$/;

type Query = string | pg.QueryConfig;

const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === '25006';

/**
 * True if a statement failed only because of its connection. Either the prepared statement is outdated (the type of a column
 * changed, or the connection lost the statement), or the server became read-only after a failover. Nothing was changed, and the
 * statement succeeds on a new connection.
 */
export function isPoisoned(error: unknown): boolean {
  const state = sqlStateOf(error);
  return (
    state === '26000' || (state === '0A000' && String(error).includes('cached plan')) || isReadOnly(error)
  );
}

/** A connection taken from a pool. The caller must release it. */
export class Borrowed {
  /** The error that broke the connection. A broken connection must not serve another request. */
  broken: Error | undefined;
  private readonly onError = (error: Error): void => {
    this.broken ??= error;
  };

  constructor(readonly client: pg.PoolClient) {
    client.on('error', this.onError);
  }

  /** Returns the connection to the pool. The pool closes a broken or stale connection. */
  release(isStale = false): void {
    this.client.off('error', this.onError);
    this.client.release(this.broken ?? isStale);
  }
}

/**
 * A socket that sends all writes of one turn of the event loop as one packet. Without it, pg would send each statement
 * separately.
 */
class PacketSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => {
      super.uncork();
    });
  }
}

/**
 * The connection pool for raw statements and Prisma. If an error shows that a connection is outdated (after a changed table or
 * a failover), the pool replaces all connections that were open then before their next use. They have the same prepared
 * statements and the same server.
 */
export class ConnectionPool extends pg.Pool {
  private readonly generations = new WeakMap<pg.PoolClient, number>();
  private generation = 0;
  private replacedAt = -Infinity;
  private writesRefused = false;

  constructor(databaseUrl: string, size: number, times: DatabaseTimes = DATABASE_TIMES) {
    super({
      ...connectionOptions(databaseUrl, 'donations', times),
      max: size,
      idleTimeoutMillis: 60_000,
      // pg sends the writes of a transaction without waiting for the previous answer.
      pipeline: true,
      stream: () => new PacketSocket(),
      query_timeout: times.answerMs,
    });
    this.on('connect', (client) => {
      this.generations.set(client, this.generation);
      // The pool listens for errors of idle connections, and the borrower for errors of a borrowed connection. But an error in
      // the same packet as the ready message arrives before both. Without this listener, such an error would end the process.
      client.on('error', () => undefined);
      // This statement runs before all other statements of the connection.
      if (this.writesRefused) client.query(READ_ONLY).catch(() => undefined);
    });
  }

  /** Makes all new transactions read-only, or allows writes again. */
  refuseWrites(refused: boolean): void {
    if (this.writesRefused === refused) return;
    this.writesRefused = refused;
    this.generation++;
  }

  /** If the error shows that a connection is outdated, replaces all open connections before their next use. */
  outdate(error: unknown): void {
    const now = performance.now();
    if (isReadOnly(error) && (this.writesRefused || now - this.replacedAt < READ_ONLY_REST_MS)) return;
    this.generation++;
    this.replacedAt = now;
  }

  /** Returns a connection that is not outdated. The caller must release it. */
  override async connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (this.isFresh(client)) return client;
      client.release(true);
    }
  }

  /** Returns a connection for several statements. The caller must return it with `giveBack`. */
  async borrow(): Promise<Borrowed> {
    return new Borrowed(await this.connect());
  }

  giveBack(borrowed: Borrowed): void {
    borrowed.release(!this.isFresh(borrowed.client));
  }

  /** True if the connection was made after the last replacement of all connections. */
  private isFresh(client: pg.PoolClient): boolean {
    return this.generations.get(client) === this.generation;
  }

  // A subclass cannot repeat pg's overloads. Callers see the overloads of `pg.Pool`.
  override query(statement: unknown, values?: unknown): never {
    return this.run(statement as Query, values as unknown[]) as never;
  }

  /** Runs one statement. If the connection is outdated, runs the statement again on a new connection. */
  private async run(statement: Query, values?: unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.alone(statement, values);
    } catch (error) {
      if (!isPoisoned(error)) throw error;
      this.outdate(error);
      return await this.alone(statement, values);
    }
  }

  private async alone(statement: Query, values?: unknown[]): Promise<pg.QueryResult> {
    const borrowed = await this.borrow();
    try {
      return await borrowed.client.query(statement, values);
    } catch (error) {
      // After an error of the server, the connection is usually intact. Any other error may have broken the connection.
      const state = sqlStateOf(error);
      if (state === undefined || CONNECTION_LOST.test(state)) borrowed.broken ??= error as Error;
      throw error;
    } finally {
      this.giveBack(borrowed);
    }
  }
}
