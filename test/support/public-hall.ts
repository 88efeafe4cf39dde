import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import pg from 'pg';
import { startApp, type TestApp } from './app.js';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.js';
import { createTestDatabase } from './database.js';
import { adminToken, createEvent, type EventFixture, sql } from './fixtures.js';
import { until } from './until.js';
import { WallClient } from './wall-client.js';

const bearer = { type: 'bearer' } as const;
/** Every public read must be answered within this time. */
export const PROMPT_MS = 300;
/** Longer than the time for which a cached copy is used without a new query. */
export const STALE_MS = 1_200;
const TABLES = 'event, event_total, donation, global_settings, event_feed, outbox, pledge_round';

export interface Answer {
  readonly path: string;
  readonly status: number;
  readonly age: string | null;
  readonly text: string;
  readonly ms: number;
}

/** A service and all public reads of one event. Tests can lock, cut off or freeze its database. */
export class PublicHall {
  admin = '';
  event: EventFixture = { id: '', slug: '', currency: '' };
  /** Id of the event's only donation: 25.00 of Ada Lovelace. */
  donation = '';

  private constructor(
    readonly app: TestApp,
    readonly proxy: CuttableProxy,
    private readonly database: Awaited<ReturnType<typeof createTestDatabase>>,
  ) {}

  static async open(): Promise<PublicHall> {
    const database = await createTestDatabase();
    const proxy = await startCuttableProxy(database.url);
    const hall = new PublicHall(await startApp({}, {}, proxy.url), proxy, database);
    hall.admin = await adminToken(hall.app);
    return hall;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.proxy.close();
    await this.database.drop();
  }

  /** Creates a new event for the next reads, and waits until all its announcements are sent. */
  async begin(): Promise<void> {
    this.event = await createEvent(this.app, this.admin);
    this.donation = await this.record({ amount: 2_500, donorName: 'Ada Lovelace' });
    const broadcast = 'SELECT 1 FROM event_feed WHERE event_id = $1 AND published_sequence = 1';
    const isBroadcast = async () => (await this.sql(broadcast, [this.event.id])).length > 0;
    await until(isBroadcast, 'the donation to be broadcast');
    await sleep(200);
  }

  async record(donation: { amount: number; donorName?: string }): Promise<string> {
    const { body } = await this.app.http
      .post('/donations')
      .auth(this.admin, bearer)
      .send({ eventId: this.event.id, type: 'cash', ...donation })
      .expect(201);
    return (body as { id: string }).id;
  }

  async patch(path: string, body: object): Promise<void> {
    await this.app.http.patch(path).auth(this.admin, bearer).send(body).expect(200);
  }

  /** Uses a separate connection, which the proxy's failures do not affect. */
  async sql(text: string, values: unknown[] = []): Promise<object[]> {
    return await sql({ databaseUrl: this.database.url }, text, values);
  }

  get paths(): string[] {
    const { id, slug } = this.event;
    return [
      '/events/public',
      `/events/${slug}`,
      `/events/${id}`,
      `/events/${slug}/settings`,
      '/settings/global',
      '/',
      `/donate/${slug}`,
      `/wall/${slug}`,
    ];
  }

  readonly read = async (path: string): Promise<Answer> => {
    const began = performance.now();
    const response = await fetch(this.app.url + path, { headers: { accept: 'text/html, application/json' } });
    const text = await response.text();
    const ms = performance.now() - began;
    return { path, status: response.status, age: response.headers.get('age'), text, ms };
  };

  async join(request: object = {}): Promise<Answer> {
    const wall = await WallClient.connect(this.app.url);
    try {
      const began = performance.now();
      const answer = await wall.join({ eventId: this.event.slug, snapshot: true, ...request });
      const ms = performance.now() - began;
      const status = answer.error?.statusCode ?? 200;
      return { path: 'joinEvent', status, age: null, text: JSON.stringify(answer), ms };
    } finally {
      wall.close();
    }
  }

  /** Sends every public request in sequence, and joins a wall. Returns the answers. */
  async readAll(): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const path of this.paths) answers.push(await this.read(path));
    answers.push(await this.join());
    return answers;
  }

  /**
   * Locks the tables of the public reads until the caller calls the returned function. The service takes locks on single rows
   * in another order, so PostgreSQL may refuse the lock as a deadlock. The next attempt then succeeds.
   */
  async lockTables(attempts = 5): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: this.database.url });
    await client.connect();
    try {
      await client.query(`BEGIN; LOCK TABLE ${TABLES} IN ACCESS EXCLUSIVE MODE`);
    } catch (error) {
      await client.end();
      if ((error as { code?: string }).code !== '40P01' || attempts === 1) throw error;
      return await this.lockTables(attempts - 1);
    }
    return async () => {
      await client.query('ROLLBACK');
      await client.end();
    };
  }

  /** Repeats all reads for this time. Checks that the answers are in time and contain their age. */
  async expectPromptFor(milliseconds: number): Promise<void> {
    const ends = performance.now() + milliseconds;
    do {
      for (const { path, status, age, ms } of await this.readAll()) {
        expect({ path, status }).toEqual({ path, status: 200 });
        expect({ path, isPrompt: ms < PROMPT_MS, ms }).toMatchObject({ isPrompt: true });
        if (path !== 'joinEvent')
          expect({ path, age }).toEqual({ path, age: expect.stringMatching(/^\d+$/) });
      }
      await sleep(150);
    } while (performance.now() < ends);
  }
}
