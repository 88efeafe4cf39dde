import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { DATABASE_TIMES, type DatabaseTimes } from '../config/database-times.js';
import { Borrowed } from './borrowed.js';
import { sessionAddress } from './connect.js';
import { isPoisoned, isReadOnly, LimitedClient } from './limited-client.js';
import type { Call, TextRow } from './statements-together.js';

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
  /** Answered in this turn of the event loop; back in the pool when it is over. */
  private readonly atHand: Borrowed[] = [];

  constructor(databaseUrl: string, size: number, times: DatabaseTimes = DATABASE_TIMES) {
    super({
      ...connectionOptions(databaseUrl, 'donations', times),
      max: size,
      idleTimeoutMillis: 60_000,
      Client: LimitedClient as unknown as new () => pg.ClientBase,
    });
    this.on('connect', (client) => {
      this.generations.set(client, this.generation);
      // Sent before anything else is: whoever gets the connection asks after it.
      if (this.writesRefused) client.query(READ_ONLY).catch(() => undefined);
      if (!(client instanceof LimitedClient)) return;
      client.answerMs = times.answerMs;
      client.onPoisoned = (error) => {
        if (!this.isFresh(client)) return;
        const now = performance.now();
        if (isReadOnly(error) && (this.writesRefused || now - this.replacedAt < READ_ONLY_REST_MS)) return;
        this.generation++;
        this.replacedAt = now;
      };
    });
  }

  /** Makes every transaction that begins from now on read-only, or lifts that again. */
  refuseWrites(refused: boolean): void {
    if (this.writesRefused === refused) return;
    this.writesRefused = refused;
    this.generation++;
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
      return await this.alone((client) => client.query(statement, values));
    } catch (error) {
      if (!isPoisoned(error)) throw error;
      return await this.alone((client) => client.query(statement, values));
    }
  }

  /** Runs several statements as one transaction in one round trip. Returns the rows of the last. */
  async together(calls: readonly Call[]): Promise<TextRow[]> {
    return await this.alone((client) => (client as unknown as LimitedClient).together(calls));
  }

  private async alone<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const borrowed = this.takeAtHand() ?? (await this.borrow());
    try {
      return await work(borrowed.client);
    } catch (error) {
      // What the server refused leaves the connection as it was; everything else may have broken it.
      const state = sqlStateOf(error);
      if (state === undefined || CONNECTION_LOST.test(state)) borrowed.broken ??= error as Error;
      throw error;
    } finally {
      this.keepAtHand(borrowed);
    }
  }

  /**
   * Who asks next in this turn of the event loop goes on with a connection that was answered in it, at once. By way of the
   * pool the next of many batches would leave when all that the last one answers is done, and the server would wait for it.
   */
  private keepAtHand(borrowed: Borrowed): void {
    if (this.waitingCount > 0 || !this.isGood(borrowed)) this.giveBack(borrowed);
    else if (this.atHand.push(borrowed) === 1)
      setImmediate(() => {
        for (const unused of this.atHand.splice(0)) this.giveBack(unused);
      });
  }

  private takeAtHand(): Borrowed | undefined {
    for (let borrowed = this.atHand.pop(); borrowed; borrowed = this.atHand.pop()) {
      if (this.isGood(borrowed)) return borrowed;
      this.giveBack(borrowed);
    }
    return undefined;
  }

  private isGood({ broken, client }: Borrowed): boolean {
    return broken === undefined && this.isFresh(client);
  }
}
