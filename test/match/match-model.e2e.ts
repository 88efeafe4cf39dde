import { describe, expect, it } from '@jest/globals';
import { draws, type HeldDraw, type Pool } from '../../src/match/draws.js';
import { type IntervalRow, toGift, toPool } from '../../src/match/follower-rows.js';
import type { GiftRow, PoolRow } from '../../src/match/match.sql.js';
import { MatchSchedule } from '../../src/match/match-schedule.service.js';
import type { DonationBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { createPool, type PoolBody, untilMatched, wrongPools } from '../support/match-pools.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

/** `MODEL_STEPS=20000 MODEL_SEEDS=10` is the size of the acceptance. */
const STEPS = Number(process.env.MODEL_STEPS ?? 120);
const SEEDS = Number(process.env.MODEL_SEEDS ?? 2);

const evening = withEvent({ start: () => startPaymentsApp(), each: true });
const { app, admin, event } = evening;

/** A repeatable sequence of numbers from 0 to 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface StoredDraw {
  readonly pool_id: string;
  readonly donation_id: string;
  readonly amount: string;
  readonly kept: string;
}

/** Results of the pure function for the same donations in the order of the feed. */
class Model {
  private readonly held = new Map<string, HeldDraw[]>();
  private readonly sums = new Map<string, { drawn: bigint; kept: bigint }>();

  private readonly rows = new Map<string, GiftRow>();

  /** Applies a donation in its present state. */
  apply(row: GiftRow, pools: readonly PoolRow[], intervals: readonly IntervalRow[]): void {
    this.rows.set(row.id, row);
    const before = this.held.get(row.id) ?? [];
    const asked = pools.map((pool): Pool => {
      const { drawn, kept } = this.sumsOf(pool.id);
      return toPool({ ...pool, drawn, kept }, intervals, this.drewOf(pool.id, row));
    });
    const after = draws(toGift(row), asked, before);
    for (const draw of after) {
      const own = before.find(({ poolId }) => poolId === draw.poolId);
      const sums = this.sumsOf(draw.poolId);
      this.sums.set(draw.poolId, {
        drawn: sums.drawn + draw.amount - (own?.amount ?? 0n),
        kept: sums.kept + draw.kept - (own?.kept ?? 0n),
      });
    }
    const stays = before.filter(({ poolId }) => after.every((draw) => draw.poolId !== poolId));
    this.held.set(row.id, [
      ...stays,
      ...after.map((draw) => ({
        ...draw,
        at: before.find(({ poolId }) => poolId === draw.poolId)?.at ?? toGift(row).at,
      })),
    ]);
  }

  get draws(): [string, string, string][] {
    return [...this.held]
      .flatMap(([donation, own]) =>
        own.map((draw): [string, string, string] => [
          `${draw.poolId} ${donation}`,
          String(draw.amount),
          String(draw.kept),
        ]),
      )
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  private sumsOf(pool: string) {
    return this.sums.get(pool) ?? { drawn: 0n, kept: 0n };
  }

  private drewOf(pool: string, { id, donor_key: key }: GiftRow): bigint {
    if (!key) return 0n;
    return [...this.held]
      .filter(([donation]) => donation !== id && this.rows.get(donation)?.donor_key?.equals(key))
      .flatMap(([, own]) => own.filter(({ poolId }) => poolId === pool))
      .reduce((sum, { amount, kept }) => sum + amount + kept, 0n);
  }
}

const giftRows = async (id: string): Promise<GiftRow[]> => {
  const rows = await sql<Record<keyof GiftRow, string | null>>(
    app,
    `SELECT outbox.id AS outbox_id, outbox.created_at AS arrived_at, donation.id, donation.event_id, donation.currency, donation.type,
       donation.status, donation.amount, donation.refunded_amount, donation.covered_fee, donation.match_pool_id, donation.donor_key,
       donation.provider, donation.created_at, donation.completed_at, donation.recorded_at
     FROM outbox JOIN donation ON donation.id = outbox.donation_id WHERE donation.id = $1 ORDER BY outbox.sequence DESC LIMIT 1`,
    [id],
  );
  return rows.map((row) => {
    const { amount, refunded_amount: refunded, covered_fee: fee } = row;
    return {
      ...row,
      amount: BigInt(amount ?? 0),
      refunded_amount: BigInt(refunded ?? 0),
      covered_fee: fee === null ? null : BigInt(fee),
    } as unknown as GiftRow;
  });
};

describe('random donations, refunds, pledges and changes of pools', () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'draw the same as the pure rule, never more than the pool has, with seed %i',
    async (seed) => {
      const next = random(seed);
      const pick = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)];
      const pools: PoolBody[] = [];
      const terms = [
        { cap: 60_000, perGiftCap: 3_000 },
        { cap: 40_000, ratio: 5_000, priority: 50, perDonorCap: 6_000 },
        { cap: 50_000, pledges: 'keep', priority: 200, minGift: 500 },
      ];
      for (const fields of terms) pools.push(await createPool(admin, event.id, fields));
      const donations: DonationBody[] = [];
      const model = new Model();
      const donors = ['ann@example.org', 'bob@example.org', undefined];
      for (let step = 0; step < STEPS; step++) {
        let touched: DonationBody | undefined;
        const what = next();
        if (what < 0.5 || donations.length === 0) {
          const email = pick(donors);
          const type = next() < 0.3 ? 'pledge' : 'cash';
          const amount = 1 + Math.floor(next() * 6_000);
          const body = {
            eventId: event.id,
            type,
            amount,
            ...(email !== undefined && { donorEmail: email, donorName: 'Ann' }),
          };
          touched = (await admin.post('/donations', body).expect(201)).body as DonationBody;
          donations.push(touched);
        } else if (what < 0.9) {
          touched = pick(donations);
          if (!touched) continue;
          const path = `/donations/${touched.id}`;
          const way = next();
          if (way < 0.3) await admin.post(`${path}/fulfil`, { type: 'check' });
          else if (way < 0.6)
            await admin.post(`${path}/cancel`, {
              shouldRefund: true,
              amount: 1 + Math.floor(next() * touched.amount),
            });
          else if (way < 0.8) await admin.post(`${path}/cancel`, { shouldRefund: next() < 0.5 });
          else await admin.patch(path, { donorName: `Name ${step}` });
        } else {
          const pool = pick(pools);
          if (!pool) continue;
          await admin.post(`/match-pools/${pool.id}/${next() < 0.4 ? 'pause' : 'resume'}`, {});
        }
        await untilMatched(app);
        // A withdrawn pledge has no message; the clock releases its money.
        await app.app.get(MatchSchedule, { strict: false }).releaseKept();
        if (touched) {
          const rows = await sql<PoolRow>(
            app,
            'SELECT *, kinds::text[] AS kinds FROM match_pool WHERE event_id = $1',
            [event.id],
          );
          const typed = rows.map((row) => ({
            ...row,
            cap: BigInt(String(row.cap)),
            per_gift_cap: row.per_gift_cap === null ? null : BigInt(String(row.per_gift_cap)),
            per_donor_cap: row.per_donor_cap === null ? null : BigInt(String(row.per_donor_cap)),
            min_gift: row.min_gift === null ? null : BigInt(String(row.min_gift)),
          }));
          const intervals = await sql<IntervalRow>(
            app,
            'SELECT pool_id, opened_at, closed_at FROM match_pool_interval WHERE pool_id = ANY($1::uuid[])',
            [pools.map(({ id }) => id)],
          );
          for (const row of await giftRows(touched.id)) model.apply(row, typed, intervals);
        }
        if (step % 10 === 9 || step === STEPS - 1) {
          const stored = await sql<StoredDraw>(
            app,
            `SELECT draw.pool_id, draw.donation_id, draw.amount::text AS amount, draw.kept::text AS kept FROM match_draw draw
               JOIN match_pool pool ON pool.id = draw.pool_id WHERE pool.event_id = $1`,
            [event.id],
          );
          const inBooks = stored
            .map((draw) => [`${draw.pool_id} ${draw.donation_id}`, draw.amount, draw.kept])
            .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
          expect(inBooks).toEqual(model.draws);
          expect(await wrongPools(app)).toEqual([]);
        }
      }
      const [drew] = await sql<{ drawn: string }>(
        app,
        'SELECT sum(drawn)::text AS drawn FROM match_pool WHERE event_id = $1',
        [event.id],
      );
      expect(Number(drew?.drawn)).toBeGreaterThan(0);
    },
    60_000 + STEPS * 500,
  );
});
