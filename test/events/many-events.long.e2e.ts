import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { LIST_PUBLIC } from '../../src/events/events.sql.js';
import { as } from '../support/bearer.js';
import { adminToken, sql } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const EVENTS = 20_000;
const ACTIVE = 20;

const app = withService();

beforeAll(async () => {
  // The ids come from consecutive milliseconds, like ids of the application. Almost all events are archived.
  await sql(
    app,
    `INSERT INTO event (id, slug, name, goal_amount, currency, status, created_at)
     SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
       'e-' || n, 'Event ' || n, 1000, 'eur',
       (CASE WHEN n % ($1 / $2) = 0 THEN 'active' ELSE 'archived' END)::event_status,
       to_timestamp((1700000000000 + n) / 1000.0)
     FROM generate_series(1, $1::int) n`,
    [EVENTS, ACTIVE],
  );
  await sql(
    app,
    `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count)
     SELECT id, 'eur', shard, 100, 1 FROM event, generate_series(0, 7) shard`,
  );
  await sql(app, 'ANALYZE event, event_total');
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Returns the number of rows that a statement reads from tables and indexes, including the rows that it discards. */
async function rowsRead(text: string, values: unknown[]): Promise<number> {
  const [row] = await app.app
    .get(Database)
    .query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      { name: '', text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` },
      values,
    );
  const count = (plan: Plan): number =>
    (plan['Relation Name'] === undefined
      ? 0
      : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']) +
    (plan.Plans ?? []).reduce((sum, child) => sum + count(child), 0);
  return row ? count(row['QUERY PLAN'][0].Plan) : NaN;
}

describe(`lists with ${EVENTS} events`, () => {
  it('the event list reads only the rows of its page, on any page', async () => {
    const [deep] = await sql<{ id: string }>(app, 'SELECT id FROM event ORDER BY id OFFSET 1000 LIMIT 1');
    // Prisma generates this SQL for the filter and the order of the list.
    const page = 'SELECT * FROM event WHERE id < $1 ORDER BY id DESC LIMIT $2';
    expect(await rowsRead(page, [deep?.id, 50])).toBeLessThanOrEqual(51);
  });

  it('the event list has no gap and no repetition between pages', async () => {
    const token = await adminToken(app);
    const seen: string[] = [];
    for (let page = 0; page < 5; page++) {
      const after = seen.at(-1);
      const { body } = await as(app, token)
        .get(`/events?limit=200${after === undefined ? '' : `&after=${after}`}`)
        .expect(200);
      seen.push(...(body as { id: string }[]).map(({ id }) => id));
    }
    expect(seen).toHaveLength(1000);
    expect(new Set(seen).size).toBe(1000);
    expect([...seen].sort().reverse()).toEqual(seen);
    const past = await as(app, token).get(`/events?after=${newId()}&limit=1`).expect(200);
    expect(past.body).toHaveLength(1);
  });

  it('the public event list reads only active events and their totals', async () => {
    expect(await rowsRead(LIST_PUBLIC.text, [])).toBeLessThanOrEqual(ACTIVE * 10);
    const { body } = await app.http.get('/events/public').expect(200);
    expect(body).toHaveLength(ACTIVE);
    expect(body).toContainEqual(expect.objectContaining({ totalRaised: 800, donorCount: 8 }));
  });
});
