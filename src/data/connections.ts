import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { DATABASE_TIMES, type DatabaseTimes } from '../config/database-times.js';
import { Borrowed } from './borrowed.js';
import { sessionAddress } from './connect.js';
import type { Statement } from './database.js';

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

/**
 * Whether a statement failed only because of the connection: its prepared form is no longer good (a column's type
 * changed below it, or the connection forgot it), or the server that it leads to takes no writes any more, since another has
 * taken over. Nothing was done, and a new connection does it right.
 */
export function isPoisoned(error: unknown): boolean {
  const state = sqlStateOf(error);
  return (
    state === '26000' || (state === '0A000' && String(error).includes('cached plan')) || isReadOnly(error)
  );
}

const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === '25006';
/** All connections are replaced at most so often for that: where new ones take no writes either, it does not help. */
const READ_ONLY_REST_MS = 1_000;

const runAsPg = (client: pg.Client, ...all: unknown[]): unknown =>
  Reflect.apply(Reflect.get(pg.Client.prototype, 'query') as (...all: unknown[]) => unknown, client, all);

/** A connection that limits how long an answer may take, and says when it is no longer good. */
class LimitedClient extends pg.Client {
  answerMs: number | undefined;
  onPoisoned: ((error: unknown) => void) | undefined;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // The pool listens while it has the connection and the borrower while he has it. What the server sends in one packet with its
    // being ready comes in between, and without a listener an error ends the process; who asks over it next learns of it.
    this.on('error', () => undefined);
  }

  // A subclass cannot repeat the overloads of pg; callers see those of `pg.PoolClient`.
  override query(first: unknown, ...rest: unknown[]): never {
    const running = runAsPg(this, this.limited(first), ...rest);
    if (running instanceof Promise)
      running.catch((error: unknown) => {
        if (isPoisoned(error)) this.onPoisoned?.(error);
      });
    return running as never;
  }

  /** The rows of the last of several statements that are sent together. */
  async together(calls: readonly Call[]): Promise<TextRow[]> {
    try {
      return await new Promise((resolve, reject) => {
        const answered = (error: Error | null, rows: TextRow[] = []) => {
          if (error) reject(error);
          else resolve(rows);
        };
        runAsPg(this, new StatementsTogether(calls, answered, this.answerMs));
      });
    } catch (error) {
      if (isPoisoned(error)) this.onPoisoned?.(error);
      throw error;
    }
  }

  private limited(query: unknown): unknown {
    if (this.answerMs === undefined) return query;
    if (typeof query === 'string') return { text: query, query_timeout: this.answerMs };
    // A stream takes as long as its reader.
    const streams = typeof query !== 'object' || query === null || 'submit' in query;
    return streams ? query : { query_timeout: this.answerMs, ...query };
  }
}

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
      if (!(client instanceof LimitedClient)) return;
      client.answerMs = times.answerMs;
      client.onPoisoned = (error) => {
        if (!this.isFresh(client)) return;
        const now = performance.now();
        if (isReadOnly(error) && now - this.replacedAt < READ_ONLY_REST_MS) return;
        this.generation++;
        this.replacedAt = now;
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

/** A statement and what it is about; a Date goes as its instant. */
export interface Call {
  readonly statement: Statement;
  readonly values: readonly (string | number | bigint | Date | null)[];
}

/** A row as the server writes it, column by column: `t` and `f` for booleans. */
export type TextRow = readonly (string | null)[];

/** What of a connection is used here, as the library's own cursors use it. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts by name, as the server has prepared them on this connection. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(query: { name: string; text: string; types: readonly number[] }): void;
  bind(call: { statement: string; values: readonly (string | null)[] }): void;
  execute(how: object): void;
  sync(): void;
}

/**
 * Statements that are sent in one packet and answered in one: one transaction without BEGIN and COMMIT, of which all is
 * committed or nothing. Each begins when the one before it has ended, and so, under READ COMMITTED, sees what was
 * committed until then: what was waited for at a lock is seen by the statement behind it. The rows are the last one's.
 */
class StatementsTogether implements pg.Submittable {
  private readonly rows: TextRow[] = [];
  private at = 0;

  /**
   * @param callback called once, with one of the two; the library puts one of its own around it that stops the clock
   * @param query_timeout milliseconds, under the name by which the library asks for it
   */
  constructor(
    readonly calls: readonly Call[],
    public callback: (error: Error | null, rows?: TextRow[]) => void,
    readonly query_timeout?: number,
  ) {}

  /** Of the statement whose answer is read now: under this name the library remembers that it was prepared. */
  get name(): string | undefined {
    return this.calls[this.at]?.statement.name;
  }

  get text(): string | undefined {
    return this.calls[this.at]?.statement.text;
  }

  submit(given: pg.Connection): void {
    const connection = given as unknown as Connection;
    connection.stream.cork();
    try {
      for (const { statement, values } of this.calls) {
        const { name, text } = statement;
        if (connection.parsedStatements[name] === undefined) connection.parse({ name, text, types: [] });
        connection.bind({ statement: name, values: values.map(inText) });
        connection.execute({});
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    if (this.at === this.calls.length - 1) this.rows.push(fields);
  }

  handleCommandComplete(): void {
    this.at++;
  }

  handleReadyForQuery(): void {
    this.callback(null, this.rows);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

function inText(value: Call['values'][number]): string | null {
  if (value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}
