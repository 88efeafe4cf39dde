import pg from 'pg';
import { RELAY_LEADER_LOCK } from '../data/advisory-locks.js';
import { CHANGES_CHANNEL } from '../data/channels.js';
import { connectionOptions } from '../data/connections.js';
import { PG_TYPES, type Statement } from '../data/database.js';
import { BEAT, END_SILENT_LEADER, VACANCY_CHANNEL, WAKE_CHANNEL } from './outbox.sql.js';

/** A leader asks the database something every second; one that was silent for so long is frozen. */
const LEASE_MS = 5_000;
const BEAT_MS = 1_000;
const ANSWER_MS = 15_000;

/**
 * Every statement here goes along an index for a few rows. Few wait and many have left, and the entries of those stay in the
 * index until the next vacuum: only a plain scan remembers which of them it need not look at again. A bitmap, which the planner
 * likes where it expects few rows, reads them all each time.
 */
const PLAIN_INDEX_SCANS = 'SET enable_bitmapscan = off; SET enable_seqscan = off';

export interface SessionEvents {
  /** Somebody committed something, or leadership may be free. */
  notified(): void;
  /** Another process, or a person at the database, committed something about this event; undefined: about anything. */
  changed(subject: string | undefined): void;
  /** The connection is gone, and with it leadership. */
  lost(error: Error): void;
}

/** Lets one loop sleep until something happens or a time has passed. A call while it is awake is remembered. */
export class Wakeup {
  private raised = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.raised = true;
    this.wake?.();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.raised) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = undefined;
    }
    this.raised = false;
  }
}

/**
 * A database connection outside the pool whose session holds leadership. Everything the leader writes goes
 * through it, so a leader that lost its connection cannot write any more: there are never two.
 */
export class RelaySession {
  private over = false;
  private heardAt = performance.now();

  private constructor(
    private readonly client: pg.Client,
    private readonly events: SessionEvents,
  ) {}

  /** @throws when the database cannot be reached. */
  static async open(connectionString: string, events: SessionEvents): Promise<RelaySession> {
    // With the lock's row in pg_locks the name tells an operator which process leads.
    const client = new pg.Client({
      ...connectionOptions(connectionString, `donations-relay ${String(process.pid)}`),
      query_timeout: ANSWER_MS,
    });
    const session = new RelaySession(client, events);
    client.on('error', (error) => {
      session.onLost(error);
    });
    client.on('end', () => {
      session.onLost(new Error('Connection terminated'));
    });
    client.on('notification', ({ channel, payload }) => {
      if (channel !== CHANGES_CHANNEL) events.notified();
      else events.changed(payload === undefined || payload === '' ? undefined : payload);
    });
    try {
      await client.connect();
      await client.query(
        `SET idle_session_timeout = 0; ${PLAIN_INDEX_SCANS}; LISTEN ${VACANCY_CHANNEL}; LISTEN ${CHANGES_CHANNEL}`,
      );
      return session;
    } catch (error) {
      session.abandon();
      throw error;
    }
  }

  async query<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const askedAt = performance.now();
    const result = await this.client.query<Row>({ ...statement, values: [...values], types: PG_TYPES });
    this.heardAt = askedAt;
    return result.rows;
  }

  /**
   * Whether nobody can have taken over yet: others end the session of a leader that has been silent for
   * `LEASE_MS`, such as a frozen process. One that thaws must not broadcast what another has broadcast since.
   */
  get holdsLease(): boolean {
    return performance.now() - this.heardAt < LEASE_MS * 0.8;
  }

  /** Runs `work`, which may take long, and lets the others know meanwhile that this process is alive. */
  async alive<Result>(work: Promise<Result>): Promise<Result> {
    let beat: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      beat = beat.then(() => this.query(BEAT)).catch(() => undefined);
    }, BEAT_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      await beat;
    }
  }

  /** Whether this session leads now; the lock stays until it steps down or its connection ends. */
  async tryToLead(): Promise<boolean> {
    const { rows } = await this.client.query<{ leads: boolean }>(
      `SELECT pg_try_advisory_lock(${RELAY_LEADER_LOCK}) AS leads`,
    );
    if (!rows[0]?.leads) {
      await this.query(END_SILENT_LEADER, [`${LEASE_MS} milliseconds`]);
      return false;
    }
    this.heardAt = performance.now();
    await this.client.query(`LISTEN ${WAKE_CHANNEL}`);
    return true;
  }

  /** Lets another relay lead at once instead of at its next try. */
  async stepDown(): Promise<void> {
    await this.client.query(`SELECT pg_advisory_unlock(${RELAY_LEADER_LOCK})`);
    await this.client.query(`NOTIFY ${VACANCY_CHANNEL}`);
  }

  async close(): Promise<void> {
    this.over = true;
    await this.client.end();
  }

  /** Drops the connection without a word: it is broken, or may be. */
  abandon(): void {
    this.over = true;
    this.client.end().catch(() => undefined);
  }

  private onLost(error: Error): void {
    if (this.over) return;
    this.over = true;
    this.events.lost(error);
  }
}
