import { Socket } from 'node:net';
import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { sessionAddress } from './connect.js';
import { DATABASE_TIMES, type DatabaseTimes } from '../config/app-config.js';

// The server notices within half a minute that a client's machine is gone, and frees what it held.
const KEEPALIVES = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** What every connection of the service is opened with. */
export function connectionOptions(
  databaseUrl: string,
  name: string,
  times: DatabaseTimes = DATABASE_TIMES,
): pg.ClientConfig {
  return {
    connectionString: sessionAddress(databaseUrl, KEEPALIVES),
    application_name: name,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: times.statementMs,
    lock_timeout: times.lockMs,
    idle_in_transaction_session_timeout: times.idleInTransactionMs,
  };
}

/** All connections are replaced at most so often for that: where new ones take no writes either, it does not help. */
const READ_ONLY_REST_MS = 1_000;

const READ_ONLY = 'SET default_transaction_read_only = on';

// What a client ends a connection for, or the server did: class 08 and 57P…, and an idle transaction.
const CONNECTION_LOST = /^(08...|57P..|25P03)$/;

type Query = string | pg.QueryConfig;

const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === '25006';

/**
 * Whether a statement failed only because of the connection: its prepared form is no longer good (a column's type
 * changed below it, or the connection forgot it), or its server takes no writes any more, since another has taken
 * over. Nothing was done, and a new connection does it right.
 */
export function isPoisoned(error: unknown): boolean {
  const state = sqlStateOf(error);
  return (
    state === '26000' || (state === '0A000' && String(error).includes('cached plan')) || isReadOnly(error)
  );
}

/** A connection that is outside of its pool. It must be released. */
export class Borrowed {
  /** Why it must serve no other request. */
  broken: Error | undefined;
  private readonly onError = (error: Error): void => {
    this.broken ??= error;
  };

  constructor(readonly client: pg.PoolClient) {
    client.on('error', this.onError);
  }

  /** Back to the pool, which closes what is broken or stale. */
  release(isStale = false): void {
    this.client.off('error', this.onError);
    this.client.release(this.broken ?? isStale);
  }
}

/** Sends what is written in one turn of the event loop as one packet: pg uncorks after each statement. */
class PacketSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => {
      super.uncork();
    });
  }
}

/**
 * The pool that the raw statements and Prisma share. When a connection turns out to be no longer good (an upgrade changed a
 * table, another server has taken over), every one that was open then is replaced before it is used again: they all keep the
 * same statements, and lead to the same server.
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
      // Writes of a transaction are sent without waiting for the answer to the one before.
      pipeline: true,
      stream: () => new PacketSocket(),
      query_timeout: times.answerMs,
    });
    this.on('connect', (client) => {
      this.generations.set(client, this.generation);
      // The pool listens while it has the connection and the borrower while he has it. An error that arrives in the same
      // packet as the server's being ready comes in between, and without a listener it would end the process.
      client.on('error', () => undefined);
      // Sent before anything else is.
      if (this.writesRefused) client.query(READ_ONLY).catch(() => undefined);
    });
  }

  /** Makes every transaction that begins from now on read-only, or lifts that again. */
  refuseWrites(refused: boolean): void {
    if (this.writesRefused === refused) return;
    this.writesRefused = refused;
    this.generation++;
  }

  /** Replaces every connection that is open now before it is used again, because an error says that one is no longer good. */
  outdate(error: unknown): void {
    const now = performance.now();
    if (isReadOnly(error) && (this.writesRefused || now - this.replacedAt < READ_ONLY_REST_MS)) return;
    this.generation++;
    this.replacedAt = now;
  }

  /** A connection of the present generation; it must be released. */
  override async connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (this.isFresh(client)) return client;
      client.release(true);
    }
  }

  /** A connection for several statements; it must be given back. */
  async borrow(): Promise<Borrowed> {
    return new Borrowed(await this.connect());
  }

  giveBack(borrowed: Borrowed): void {
    borrowed.release(!this.isFresh(borrowed.client));
  }

  /** Whether a connection was made since one last turned out to be no longer good. */
  private isFresh(client: pg.PoolClient): boolean {
    return this.generations.get(client) === this.generation;
  }

  // A subclass cannot repeat the overloads of pg; callers see those of `pg.Pool`.
  override query(statement: unknown, values?: unknown): never {
    return this.run(statement as Query, values as unknown[]) as never;
  }

  /** Runs one statement by itself, a second time on a new connection where that was no longer good. */
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
      // What the server refused leaves the connection as it was; everything else may have broken it.
      const state = sqlStateOf(error);
      if (state === undefined || CONNECTION_LOST.test(state)) borrowed.broken ??= error as Error;
      throw error;
    } finally {
      this.giveBack(borrowed);
    }
  }
}
