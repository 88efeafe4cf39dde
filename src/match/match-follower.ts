import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { type Follower, Followers } from '../outbox/followers.js';
import { Outbox } from '../outbox/outbox.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import { SettingsService } from '../settings/settings.service.js';
import { toJsonAmount } from '../common/money/money.js';
import { draws, type HeldDraw, type MatchMode } from './draws.js';
import { type IntervalRow, toGift, toHeldDraw, toPool } from './follower-rows.js';
import {
  ANNOUNCE_MATCHED,
  DRAWN_BY_DONORS,
  DRAWS_OF,
  type DrawRow,
  EVENT_OVERRIDES,
  GIFTS_BY_ID,
  GIFTS_OF_MESSAGES,
  type GiftRow,
  HAS_POOLS,
  INTERVALS_OF,
  KEPT_FOR,
  LOCK_POOLS,
  type PoolRow,
  SET_SUMS,
  SETTLED_OF,
  WRITE_DRAWS,
} from './match.sql.js';
import { owedOf } from './owed.js';
import { PoolClock } from './pool-clock.service.js';

interface KeptForRow extends DrawRow {
  readonly paid_by: string;
}

/** A changed draw of a donation. */
interface Changed {
  readonly pool: string;
  readonly donation: string;
  readonly draw: HeldDraw;
  readonly outboxId: bigint | null;
  /** True if walls show the change. */
  readonly isShown: boolean;
}

/**
 * Lets donations draw from the match pools, in the order of the event's feed. Draws, sums of the pools, and messages commit
 * together with the position in the feed. Locks the pools only after the donations were written, so a record never waits for it.
 */
@Injectable()
export class MatchFollower implements Follower, OnModuleInit {
  readonly name = 'match';

  constructor(
    private readonly followers: Followers,
    private readonly outbox: Outbox,
    private readonly settings: SettingsService,
    private readonly clock: PoolClock,
  ) {}

  onModuleInit(): void {
    this.followers.add(this);
  }

  async handle(tx: Transaction, eventId: string, rows: readonly NumberedRow[]): Promise<void> {
    const messages = rows.filter(({ donation_id }) => donation_id !== null).map(({ id }) => id);
    if (messages.length === 0 || (await tx.query(HAS_POOLS, [eventId])).length === 0) return;
    await this.draw(tx, eventId, () => tx.query<GiftRow>(GIFTS_OF_MESSAGES, [messages]));
  }

  /** Applies the rule to these donations, such as pledges that were not paid in time. */
  async apply(tx: Transaction, eventId: string, donations: readonly string[]): Promise<void> {
    await this.draw(tx, eventId, () => tx.query<GiftRow>(GIFTS_BY_ID, [donations]));
  }

  /** @param read reads the donations after the lock of the pools */
  private async draw(tx: Transaction, eventId: string, read: () => Promise<GiftRow[]>): Promise<void> {
    const locked = await tx.query<PoolRow>(LOCK_POOLS, [eventId]);
    const pools = new Map((await this.clock.advance(tx, locked)).map((pool) => [pool.id, pool]));
    const gifts = await read();
    const mode = await this.modeOf(tx, eventId);
    const { changed, touched } = await applyRule(tx, pools, gifts, mode);
    const settlements = gifts.flatMap(({ match_pool_id }) => match_pool_id ?? []);
    const changedPools = new Set([...touched, ...settlements]);
    if (changed.length > 0) {
      tx.write(WRITE_DRAWS, [JSON.stringify(changed.map(toInput))]);
      const sums = [...touched].map((id) => pools.get(id)).filter((pool) => pool !== undefined);
      tx.write(
        SET_SUMS,
        [sums.map(({ id }) => id), sums.map(({ drawn }) => drawn), sums.map(({ kept }) => kept)],
        sums.length,
      );
      const completed = new Set(gifts.filter(({ status }) => status === 'COMPLETED').map(({ id }) => id));
      const shown = changed.filter(({ donation, isShown }) => isShown && completed.has(donation));
      const ids = [...new Set(shown.map(({ donation }) => donation))];
      if (ids.length > 0) tx.write(ANNOUNCE_MATCHED, [eventId, ids]);
    }
    for (const subjectId of changedPools)
      this.outbox.append(tx, { eventId, topic: 'match.changed', subjectId });
    await reportOverpaid(
      tx,
      [...changedPools].flatMap((id) => pools.get(id) ?? []),
    );
  }

  private async modeOf(tx: Transaction, eventId: string): Promise<MatchMode> {
    const [event] = await tx.query<{ overrides: unknown }>(EVENT_OVERRIDES, [eventId]);
    return (await this.settings.effective(event?.overrides)).live.match.mode;
  }
}

/** Applies the rule to donations in order. Changes the sums of `pools`. */
async function applyRule(
  tx: Transaction,
  pools: Map<string, PoolRow>,
  gifts: readonly GiftRow[],
  mode: MatchMode,
): Promise<{ changed: Changed[]; touched: Set<string> }> {
  const changed = new Map<string, Changed>();
  const touched = new Set<string>();
  const poolIds = [...pools.keys()];
  if (poolIds.length === 0 || gifts.length === 0) return { changed: [], touched };
  const ids = [...new Set(gifts.map(({ id }) => id))];
  const intervals = await tx.query<IntervalRow>(INTERVALS_OF, [poolIds]);
  const held = new Map<string, HeldDraw[]>();
  for (const row of await tx.query<DrawRow>(DRAWS_OF, [ids]))
    held.set(row.donation_id, [...(held.get(row.donation_id) ?? []), toHeldDraw(row)]);
  const keptFor = await tx.query<KeptForRow>(KEPT_FOR, [poolIds, ids]);
  const drew = await drawnByDonors(tx, [...pools.values()], gifts);

  const write = (donation: string, before: HeldDraw | undefined, draw: HeldDraw, gift: GiftRow) => {
    const pool = pools.get(draw.poolId);
    if (!pool) return;
    const drawn = pool.drawn + draw.amount - (before?.amount ?? 0n);
    const kept = pool.kept + draw.kept - (before?.kept ?? 0n);
    if (drawn !== pool.drawn || kept !== pool.kept) touched.add(pool.id);
    pools.set(pool.id, { ...pool, drawn, kept });
    drew.add(
      pool.id,
      gift.donor_key,
      draw.amount + draw.kept - (before?.amount ?? 0n) - (before?.kept ?? 0n),
    );
    const key = `${pool.id} ${donation}`;
    const isShown = draw.amount !== (before?.amount ?? 0n) || (changed.get(key)?.isShown ?? false);
    changed.set(key, { pool: pool.id, donation, draw, outboxId: gift.outbox_id, isShown });
  };

  for (const row of gifts) {
    const gift = toGift(row);
    let before = held.get(row.id) ?? [];
    // The money that was kept for a pledge goes to the donation that paid it.
    for (const kept of keptFor.filter(({ paid_by, state }) => paid_by === row.id && state === 'kept')) {
      const own = toHeldDraw(kept);
      const inHand = before.find(({ poolId }) => poolId === own.poolId);
      if (inHand && inHand.state !== 'kept') continue;
      const moved = { ...own, kept: own.kept + (inHand?.kept ?? 0n), base: own.base + (inHand?.base ?? 0n) };
      before = [...before.filter(({ poolId }) => poolId !== own.poolId), moved];
      write(kept.donation_id, own, { ...own, kept: 0n, state: 'released' }, row);
      write(row.id, inHand, moved, row);
      Object.assign(kept, { state: 'released' });
    }
    const now = [...pools.values()].map((pool) => {
      const own = before.find(({ poolId }) => poolId === pool.id);
      const others = drew.of(pool.id, row.donor_key) - (own?.amount ?? 0n) - (own?.kept ?? 0n);
      return toPool(pool, intervals, others);
    });
    for (const draw of draws(gift, now, before, mode)) {
      const own = before.find(({ poolId }) => poolId === draw.poolId);
      if (own && sameDraw(own, draw)) continue;
      const after = { ...draw, at: own?.at ?? gift.at };
      before = [...before.filter(({ poolId }) => poolId !== draw.poolId), after];
      write(row.id, own, after, row);
    }
    held.set(row.id, before);
  }
  return { changed: [...changed.values()], touched };
}

/** Sums that the donors of these donations drew from the pools with a maximum for each donor. */
async function drawnByDonors(tx: Transaction, pools: readonly PoolRow[], gifts: readonly GiftRow[]) {
  const capped = pools.filter(({ per_donor_cap }) => per_donor_cap !== null).map(({ id }) => id);
  const keys = [
    ...new Map(gifts.map(({ donor_key }) => [donor_key?.toString('hex'), donor_key])).values(),
  ].filter((key) => key !== null);
  const sums = new Map<string, bigint>();
  const nameOf = (pool: string, key: Buffer) => `${pool} ${key.toString('hex')}`;
  if (capped.length > 0 && keys.length > 0) {
    const rows = await tx.query<{ pool_id: string; donor_key: Buffer; drew: bigint }>(DRAWN_BY_DONORS, [
      capped,
      keys,
    ]);
    for (const { pool_id, donor_key, drew } of rows) sums.set(nameOf(pool_id, donor_key), drew);
  }
  return {
    of: (pool: string, key: Buffer | null) => (key && sums.get(nameOf(pool, key))) ?? 0n,
    add: (pool: string, key: Buffer | null, more: bigint) => {
      if (key) sums.set(nameOf(pool, key), (sums.get(nameOf(pool, key)) ?? 0n) + more);
    },
  };
}

const sameDraw = (one: HeldDraw, other: Omit<HeldDraw, 'at'>): boolean =>
  one.amount === other.amount &&
  one.kept === other.kept &&
  one.base === other.base &&
  one.state === other.state;

const toInput = ({ pool, donation, draw, outboxId }: Changed) => ({
  pool_id: pool,
  donation_id: donation,
  amount: String(draw.amount),
  kept: String(draw.kept),
  base: String(draw.base),
  state: draw.state,
  given_at: new Date(draw.at).toISOString(),
  outbox_id: outboxId === null ? null : String(outboxId),
});

/** Opens a review item for each ended pool whose matcher paid too much, and closes it when that is no longer so. */
export async function reportOverpaid(tx: Transaction, pools: readonly PoolRow[]): Promise<void> {
  const over = pools.filter(({ status }) => status === 'ended' || status === 'settled');
  if (over.length === 0) return;
  const settled = new Map(
    (await tx.query<{ id: string; settled: bigint }>(SETTLED_OF, [over.map(({ id }) => id)])).map((row) => [
      row.id,
      row.settled,
    ]),
  );
  for (const pool of over) {
    const overpaid = (settled.get(pool.id) ?? 0n) - owedOf(pool);
    if (overpaid > 0n)
      await raiseReviewItem(tx, {
        kind: 'match_overpaid',
        subject: pool.id,
        donationId: null,
        detail: { overpaid: toJsonAmount(overpaid), currency: pool.currency },
      });
    else await settleReviewItem(tx, 'match_overpaid', pool.id);
  }
}
