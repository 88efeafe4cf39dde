import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { DATABASE_TIMES, type DatabaseTimes } from '../config/database-times.js';
import { connectionOptions, isPoisoned, LimitedClient } from './connections.js';
import type { Call, TextRow } from './statements-together.js';

// What a client ends a connection for, or the server did: class 08 and 57P…, and an idle transaction.
const CONNECTION_LOST = /^(08...|57P..|25P03)$/;

type Query = string | pg.QueryConfig;

/**
 * The pool that the raw statements and Prisma share. When a prepared statement turns out to be no longer good
 * (an upgrade changed a table), every connection that was open then is replaced before it is used again: they all
 * keep the same statements.
 */
export class ConnectionPool extends pg.Pool {
  private readonly generations = new WeakMap<pg.PoolClient, number>();
  private generation = 0;

  constructor(databaseUrl: string, size: number, times: DatabaseTimes = DATABASE_TIMES) {
    super({
      ...connectionOptions(databaseUrl, 'donations', times),
      max: size,
      idleTimeoutMillis: 60_000,
      Client: LimitedClient as unknown as new () => pg.ClientBase,
    });
    this.on('connect', (client) => {
      this.generations.set(client, this.generation);
      if (!(client instanceof LimitedClient)) return;
      client.answerMs = times.answerMs;
      client.onPoisoned = () => {
        if (this.generations.get(client) === this.generation) this.generation++;
      };
    });
  }

  /** A connection of the present generation; it must be released. */
  override async connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (this.isFresh(client)) return client;
      client.release(true);
    }
  }

  /** Whether a connection was made since a prepared statement last turned out to be no longer good. */
  isFresh(client: pg.PoolClient): boolean {
    return this.generations.get(client) === this.generation;
  }

  // A subclass cannot repeat the overloads of pg; callers see those of `pg.Pool`.
  override query(statement: unknown, values?: unknown): never {
    return this.run(statement as Query, values as unknown[]) as never;
  }

  /** Runs one statement by itself, a second time on a new connection where its prepared form was no longer good. */
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
    const client = await this.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => (broken = error);
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      // What the server refused leaves the connection as it was; everything else may have broken it.
      const state = sqlStateOf(error);
      if (state === undefined || CONNECTION_LOST.test(state)) broken ??= error as Error;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken ?? !this.isFresh(client));
    }
  }
}
