import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { type Call, StatementsTogether, type TextRow } from './statements-together.js';

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

export const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === '25006';

/** A late answer may be late by so much more. */
const LOOK_EVERY_MS = 100;

/** What waits for an answer. */
interface Waiting {
  /** By `performance.now()`. */
  readonly until: number;
  readonly reject: (error: Error) => void;
  /** Its place among all that wait; -1 when it waits no more. */
  at: number;
}

/**
 * Not a Set: V8 makes it a new table every few entries, each leads to the next one, and so the first that has become old keeps
 * what all of them held.
 */
const waiting: Waiting[] = [];
let clock: NodeJS.Timeout | undefined;

/** One clock for all: a timer for each statement costs more than sending it. */
function wait(limitMs: number, reject: (error: Error) => void): Waiting {
  const one = { until: performance.now() + limitMs, reject, at: waiting.length };
  waiting.push(one);
  clock ??= setInterval(look, LOOK_EVERY_MS).unref();
  return one;
}

function waitNoMore(one: Waiting): void {
  if (one.at === -1) return;
  const last = waiting.pop();
  if (last && last !== one) {
    waiting[one.at] = last;
    last.at = one.at;
  }
  one.at = -1;
}

function look(): void {
  const now = performance.now();
  for (const late of waiting.filter(({ until }) => until <= now)) {
    waitNoMore(late);
    late.reject(new Error('Query read timeout'));
  }
  if (waiting.length > 0) return;
  clearInterval(clock);
  clock = undefined;
}

type Answered<Answer> = (error: Error | null, answer?: Answer) => void;
type Asking = pg.QueryConfig & { readonly query_timeout?: number };

const runAsPg = (client: pg.Client, ...all: unknown[]): unknown =>
  Reflect.apply(Reflect.get(pg.Client.prototype, 'query') as (...all: unknown[]) => unknown, client, all);

/**
 * A connection that limits how long an answer may take, and says when it is no longer good. Who is not answered in time must give
 * the connection up: the answer may come still.
 *
 * The library is asked with a callback. What it makes for a promise, and for a time limit of its own, keeps the rows of one answer until V8
 * collects its old memory: each of thousands of answers a second was copied there, while everybody waited.
 */
export class LimitedClient extends pg.Client {
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
    const asking = typeof first === 'string' ? { text: first } : first;
    // A stream takes as long as its reader, and has callbacks of its own, as has who gives one.
    const isOwn = typeof asking !== 'object' || asking === null || 'submit' in asking;
    if (isOwn || typeof rest.at(-1) === 'function') return runAsPg(this, first, ...rest) as never;
    const { query_timeout: limit, ...query } = asking as Asking;
    return this.ask((answered) => runAsPg(this, query, rest[0], answered), limit) as never;
  }

  /** The rows of the last of several statements that are sent together. */
  async together(calls: readonly Call[]): Promise<TextRow[]> {
    return await this.ask<TextRow[]>((answered) => runAsPg(this, new StatementsTogether(calls, answered)));
  }

  private async ask<Answer>(
    send: (answered: Answered<Answer>) => void,
    limit: number | undefined = this.answerMs,
  ): Promise<Answer> {
    try {
      return await new Promise((resolve, reject) => {
        const one = limit === undefined ? undefined : wait(limit, reject);
        send((error, answer) => {
          if (one) waitNoMore(one);
          if (error) reject(error);
          else resolve(answer as Answer);
        });
      });
    } catch (error) {
      // Made where the socket was read: of those who asked it says nothing yet.
      Error.captureStackTrace(error as Error);
      if (isPoisoned(error)) this.onPoisoned?.(error);
      throw error;
    }
  }
}
