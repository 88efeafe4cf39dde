import { describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import pg from 'pg';
import { ChangeWaits } from '../../src/changes/change-waits.js';
import { createKey } from '../support/api-keys.js';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createEvent, sql } from '../support/fixtures.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const { app, admin, event } = withEvent({ fields: { status: 'active' } });
const other = withOpened(() => startApp({}, {}, app.databaseUrl));

interface Page {
  readonly data: readonly {
    readonly cursor: string;
    readonly type: string;
    readonly data: {
      readonly id: string;
      readonly amount?: number;
      readonly eventId: string;
      readonly status?: string;
    };
  }[];
  readonly next: string;
  readonly hasMore: boolean;
  readonly resync?: true;
}

const read = async (query = '', caller: Pick<ReturnType<typeof as>, 'get'> = admin): Promise<Page> =>
  (await caller.get(`/changes${query}`).expect(200)).body as Page;
const present = async () => (await read()).next;
const record = (amount: number, eventId = event.id, client = app) =>
  as(client, admin.token).post('/donations', { eventId, amount, type: 'cash' }).expect(201);
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;

/** Reads the changes until there are `count`. */
async function pageOf(
  count: number,
  query: string,
  caller?: Pick<ReturnType<typeof as>, 'get'>,
): Promise<Page> {
  let page = await read(query, caller);
  await until(async () => {
    page = await read(query, caller);
    return page.data.length >= count;
  });
  return page;
}

/** Follows the changes from a cursor until `done`. Returns the ids of the donations that came. */
async function follow(
  from: string,
  done: (ids: ReadonlySet<string>) => boolean,
  limit = 7,
): Promise<Set<string>> {
  const ids = new Set<string>();
  let after = from;
  const ends = Date.now() + 30_000;
  while (!done(ids) && Date.now() < ends) {
    const page = await read(`?after=${after}&limit=${limit}&wait=1`);
    for (const { data } of page.data) ids.add(data.id);
    expect(page.resync).toBeUndefined();
    after = page.next;
  }
  return ids;
}

describe('GET /changes', () => {
  it('without a cursor answers the present and no data', async () => {
    await record(100);
    const page = await read();
    expect(page).toEqual({ data: [], next: expect.any(String), hasMore: false });
  });

  it('answers the donations after a cursor as they are now, in order, and pages of any size agree', async () => {
    const after = await present();
    const ids: string[] = [];
    for (const amount of [201, 202, 203]) ids.push(idOf(await record(amount)));
    await admin.post(`/donations/${ids[1] ?? ''}/undo`).expect(200);
    const whole = await pageOf(4, `?after=${after}`);
    expect(whole.data.map(({ type, data }) => [type, data.amount, data.status])).toEqual([
      ['donation.created', 201, 'COMPLETED'],
      ['donation.created', 202, 'CANCELLED'],
      ['donation.created', 203, 'COMPLETED'],
      ['donation.retracted', 202, 'CANCELLED'],
    ]);
    const singly: Page['data'][number][] = [];
    let next = after;
    for (let hasMore = true; hasMore;) {
      const page = await read(`?after=${next}&limit=1`);
      singly.push(...page.data);
      ({ next, hasMore } = page);
    }
    expect(singly).toEqual(whole.data);
    const rest = await read(`?after=${whole.data[1]?.cursor ?? ''}`);
    expect(rest.data).toEqual(whole.data.slice(2));
    const retracted = await read(`?after=${after}&topics=donation.retracted,milestone.reached`);
    expect(retracted.data).toEqual(whole.data.slice(3));
  });

  it.each(['after=nonsense', 'limit=0', 'limit=501', 'wait=26', 'topics=donation.deleted', 'since=1'])(
    'refuses ?%s',
    async (query) => {
      await admin.get(`/changes?${query}`).expect(400);
    },
  );

  it('loses nothing while several writers commit in two processes, one of them late', async () => {
    const after = await present();
    const slow = new pg.Client({ connectionString: app.databaseUrl });
    await slow.connect();
    await slow.query('BEGIN');
    const late = idOf(await record(301));
    // The id of this message is smaller than those of the messages that are committed before it.
    await slow.query(
      `INSERT INTO outbox (event_id, topic, donation_id) VALUES ($1, 'donation.updated', $2)`,
      [event.id, late],
    );
    const ids: string[] = [];
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let count = 0; count < 20; count++)
          ids.push(idOf(await record(400 + writer, event.id, writer % 2 ? app : other)));
      }),
    );
    const following = follow(after, (seen) => ids.length === 120 && ids.every((id) => seen.has(id)));
    await writing;
    const seen = await following;
    expect([...seen].filter((id) => ids.includes(id))).toHaveLength(120);
    const beforeCommit = await present();
    await slow.query('COMMIT');
    await slow.end();
    const page = await pageOf(1, `?after=${beforeCommit}`);
    expect(page.data.map(({ type, data }) => [type, data.id])).toEqual([['donation.updated', late]]);
  });

  it('positions have no gaps, and follow the sequence of each event', async () => {
    const rows = await sql<{ position: string; event_id: string; sequence: string }>(
      app,
      'SELECT position, event_id, sequence FROM outbox ORDER BY position',
    );
    expect(rows.map(({ position }) => Number(position))).toEqual(rows.map((_, index) => index + 1));
    const own = rows.filter(({ event_id: id }) => id === event.id).map(({ sequence }) => Number(sequence));
    expect(own).toEqual([...own].sort((a, b) => a - b));
  });

  it('contains only the events of a key', async () => {
    const mine = await createEvent(app, admin.token, { status: 'active' });
    const { key } = await createKey(app, admin.token, ['read'], { eventIds: [mine.id] });
    const after = await present();
    await record(501);
    const id = idOf(await record(502, mine.id));
    await record(503);
    const page = await pageOf(1, `?after=${after}`, as(app, key));
    expect(page.data.map(({ data }) => data.id)).toEqual([id]);
  });
});

describe('waiting for a change', () => {
  it('ends with the first change, in the process that did not record it too', async () => {
    const after = await present();
    for (const client of [app, other]) {
      const began = Date.now();
      const waiting = read(`?after=${after}&wait=20`, as(client, admin.token));
      await record(600);
      expect((await waiting).data.length).toBeGreaterThan(0);
      expect(Date.now() - began).toBeLessThan(5_000);
    }
  });

  it('ends after the time without a change', async () => {
    const after = await present();
    const began = Date.now();
    const page = await read(`?after=${after}&wait=1`);
    expect([page.data, page.hasMore]).toEqual([[], false]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(950);
  });

  it('is not ended by changes of events that the key does not see', async () => {
    const mine = await createEvent(app, admin.token, { status: 'active' });
    const { key } = await createKey(app, admin.token, ['read'], { eventIds: [mine.id] });
    const waiting = read(`?after=${await present()}&wait=2`, as(app, key));
    await record(610);
    expect((await waiting).data).toEqual([]);
  });

  it('holds no database connection, and more than five waits of a caller get their answer at once', async () => {
    const after = await present();
    const { key } = await createKey(app, admin.token, ['read']);
    const waiting = Array.from({ length: 5 }, () => read(`?after=${after}&wait=3`, as(app, key)));
    await until(() => app.app.get(ChangeWaits).size === 5);
    const [busy] = await sql<{ count: number }>(
      app,
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND state <> 'idle' AND query LIKE '%outbox o ON%'`,
    );
    expect(busy?.count).toBe(0);
    const began = Date.now();
    await read(`?after=${after}&wait=20`, as(app, key));
    expect(Date.now() - began).toBeLessThan(2_000);
    await Promise.all(waiting);
  });

  it('ends when the client disconnects', async () => {
    const after = await present();
    const client = request(`${app.url}/changes?after=${after}&wait=25`, {
      headers: { authorization: `Bearer ${admin.token}` },
    });
    client.on('error', () => undefined);
    client.end();
    await until(() => app.app.get(ChangeWaits).size === 1);
    client.destroy();
    await until(() => app.app.get(ChangeWaits).size === 0);
  });

  it('gives nothing more to a key that is revoked during the wait', async () => {
    const { id, key } = await createKey(app, admin.token, ['read']);
    const after = await present();
    const waiting = as(app, key)
      .get(`/changes?after=${after}&wait=20`)
      .then(({ status }) => status);
    await until(() => app.app.get(ChangeWaits).size === 1);
    await admin.delete(`/api-keys/${id}`).expect(200);
    expect(await waiting).toBe(401);
  });
});

describe('a cursor that is too old', () => {
  const cursorAt = (position: number, age: number) =>
    Buffer.from(`1.${position}.${Date.now() - age}`).toString('base64url');
  const DAYS = 86_400_000;

  it('gets resync if changes after it were deleted, and a cursor for the next request', async () => {
    await sql(app, 'DELETE FROM outbox WHERE position < 5');
    const page = await read(`?after=${cursorAt(1, 3 * DAYS)}`);
    expect(page).toEqual({ data: [], next: expect.any(String), hasMore: false, resync: true });
    const id = idOf(await record(700));
    const seen = await follow(page.next, (ids) => ids.has(id));
    expect([...seen]).toEqual([id]);
  });

  it('gets no resync if nothing after it was deleted', async () => {
    expect((await read(`?after=${cursorAt(10, 3 * DAYS)}`)).resync).toBeUndefined();
  });

  it('of a newer database gets resync, because a backup was restored', async () => {
    expect((await read(`?after=${cursorAt(1_000_000, 0)}`)).resync).toBe(true);
  });

  it('does not need resync because messages of a deleted event are missing', async () => {
    expect((await read(`?after=${cursorAt(1, 1_000)}`)).resync).toBeUndefined();
  });
});

describe('messages that an earlier release numbered', () => {
  it('get a position when this release starts', async () => {
    const after = await present();
    const id = idOf(await record(800));
    await until(async () => (await read(`?after=${after}`)).data.length > 0);
    await sql(app, 'UPDATE outbox SET position = NULL WHERE donation_id = $1', [id]);
    const { PLACE_NUMBERED } = await import('../../src/outbox/outbox.sql.js');
    const now = await present();
    await sql(app, PLACE_NUMBERED.text);
    expect((await read(`?after=${now}`)).data.map(({ data }) => data.id)).toEqual([id]);
  });
});
