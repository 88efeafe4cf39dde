import type { TestApp } from './app.js';
import type { as } from './bearer.js';
import { sql } from './fixtures.js';
import { until } from './until.js';

export interface PoolBody {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly cap: number;
  readonly drawn: number;
  readonly kept: number;
  readonly left: number;
  readonly gifts: number;
  readonly settled: number;
  readonly due: number;
  readonly overpaid: number;
}

type Caller = Pick<ReturnType<typeof as>, 'get' | 'post'>;

/** Creates a pool, open unless `open` is false. */
export async function createPool(
  admin: Caller,
  eventId: string,
  fields: object = {},
  open = true,
): Promise<PoolBody> {
  const body = { eventId, name: 'Double your donation', cap: 100_000, remainder: 'not_given', ...fields };
  const made = (await admin.post('/match-pools', body).expect(201)).body as PoolBody;
  return open ? ((await admin.post(`/match-pools/${made.id}/open`, {}).expect(200)).body as PoolBody) : made;
}

/** Waits until the match follower has handled every message. */
export async function untilMatched(app: Pick<TestApp, 'databaseUrl'>): Promise<void> {
  await until(
    async () => {
      const [row] = await sql<{ waits: boolean }>(
        app,
        `SELECT EXISTS (SELECT FROM outbox WHERE sequence IS NULL) OR EXISTS (
           SELECT FROM event_feed f LEFT JOIN follower_position p ON p.event_id = f.event_id AND p.follower = 'match'
            WHERE coalesce(p.sequence, 0) < f.last_sequence) AS waits`,
      );
      return row?.waits === false;
    },
    'the match follower',
    { everyMs: 10, timeoutMs: 10_000 },
  );
}

/** Pools whose sums differ from the sums of their draws. */
export const wrongPools = (app: Pick<TestApp, 'databaseUrl'>) =>
  sql(
    app,
    `SELECT pool.id, pool.drawn, pool.kept, sum(draw.amount) AS sum, sum(draw.kept) AS sum_kept FROM match_pool pool
       LEFT JOIN match_draw draw ON draw.pool_id = pool.id GROUP BY pool.id
     HAVING pool.drawn <> coalesce(sum(draw.amount), 0) OR pool.kept <> coalesce(sum(draw.kept), 0)
       OR pool.drawn + pool.kept > pool.cap`,
  );
