import pg from 'pg';
import { RELAY_LEADER_LOCK } from '../data/advisory-locks.js';
import { CHANGES_CHANNEL } from '../data/channels.js';
import { connectionOptions } from '../data/connections.js';
import { PG_TYPES, type Statement } from '../data/database.js';
import { BEAT, END_SILENT_LEADER, VACANCY_CHANNEL, WAKE_CHANNEL } from './outbox.sql.js';

/** A leader queries the database every second. A leader that was silent for this long is probably frozen. */
const LEASE_MS = 5_000;
const BEAT_MS = 1_000;
const ANSWER_MS = 15_000;

/**
 * Statements of this session read a few rows by an index. The index also contains many entries of published rows until the next
 * vacuum. Only a plain index scan remembers dead entries. A bitmap scan reads all of them each time, but the planner would
 * prefer it for few rows.
 */
const PLAIN_INDEX_SCANS = 'SET enable_bitmapscan = off; SET enable_seqscan = off';

export interface SessionEvents {
  /** Called after a commit, or if another leader may have stepped down. */
  notified(): void;
  /**
   * Called after another process, or a person at the database, committed a change of this event; undefined means a change of
   * any subject.
   */
  changed(subject: string | undefined): void;
  /** Called if the connection is lost. This instance is then no longer the leader. */
  lost(error: Error): void;
}

/**
 * Lets one loop sleep for a time, or until another function wakes the loop. A wake-up before the sleep ends the next sleep at
 * once.
 */
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
 * A database connection outside the pool whose session holds the leader's lock. The leader writes only through this connection,
 * so a leader that lost its connection cannot write. So there are never two writing leaders.
 */
export class RelaySession {
  private over = false;
  private heardAt = performance.now();

  private constructor(
    private readonly client: pg.Client,
    private readonly events: SessionEvents,
  ) {}

  /** @throws if the database is unreachable */
  static async open(connectionString: string, events: SessionEvents): Promise<RelaySession> {
    // This connection name and the row of the lock in pg_locks show an operator which process is the leader.
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
   * True if no other process can already be the leader. Other processes end the session of a leader that was silent for
   * `LEASE_MS`. So a frozen process that resumes does not broadcast rows that another process has already broadcast.
   */
  get holdsLease(): boolean {
    return performance.now() - this.heardAt < LEASE_MS * 0.8;
  }

  /** Waits for `work`, which may take long. Meanwhile, shows the other processes that this process is alive. */
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

  /**
   * Tries to become leader; true if this session now holds the lock. The lock stays until `stepDown` or the end of the
   * connection.
   */
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

  /** Gives up the lock and notifies the other relays, so that another relay becomes leader at once. */
  async stepDown(): Promise<void> {
    await this.client.query(`SELECT pg_advisory_unlock(${RELAY_LEADER_LOCK})`);
    await this.client.query(`NOTIFY ${VACANCY_CHANNEL}`);
  }

  async close(): Promise<void> {
    this.over = true;
    await this.client.end();
  }

  /** Drops the connection at once, because it may be broken. */
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
