import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { DATABASE_TIMES, type DatabaseTimes } from '../config/database-times.js';
import { type Call, StatementsTogether, type TextRow } from './statements-together.js';

// The server notices within half a minute that a client's machine is gone, and frees what it held.
const KEEPALIVES = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** What every connection of the service is opened with; `options` of the address itself are kept. */
export function connectionOptions(
  databaseUrl: string,
  name: string,
  times: DatabaseTimes = DATABASE_TIMES,
): pg.ClientConfig {
  return {
    connectionString: withKeepalives(databaseUrl),
    application_name: name,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: times.statementMs,
    lock_timeout: times.lockMs,
    idle_in_transaction_session_timeout: times.idleInTransactionMs,
  };
}

function withKeepalives(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const own = url.searchParams.get('options');
  url.searchParams.set('options', own ? `${KEEPALIVES} ${own}` : KEEPALIVES);
  return url.href;
}

/**
 * Whether a statement failed only because this connection's prepared form of it is no longer good: a column's type
 * changed below it, or the connection forgot it. Nothing was done, and a new connection does it right.
 */
export function isPoisoned(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '26000' || (state === '0A000' && String(error).includes('cached plan'));
}

const runAsPg = (client: pg.Client, ...all: unknown[]): unknown =>
  Reflect.apply(Reflect.get(pg.Client.prototype, 'query') as (...all: unknown[]) => unknown, client, all);

/** A connection that limits how long an answer may take, and says when its prepared statements are no good. */
export class LimitedClient extends pg.Client {
  answerMs: number | undefined;
  onPoisoned: (() => void) | undefined;

  // A subclass cannot repeat the overloads of pg; callers see those of `pg.PoolClient`.
  override query(first: unknown, ...rest: unknown[]): never {
    const running = runAsPg(this, this.limited(first), ...rest);
    if (running instanceof Promise)
      running.catch((error: unknown) => {
        if (isPoisoned(error)) this.onPoisoned?.();
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
      if (isPoisoned(error)) this.onPoisoned?.();
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
