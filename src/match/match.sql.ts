import type { Statement } from '../data/database.js';
import { recordsOf } from '../donations/store/donations.sql.js';
import type { DonationStatus } from '../donations/lifecycle/donation-lifecycle.js';
import type { DonationType } from '../donations/store/donation-columns.js';
import type { PoolStatus } from './pool-status.js';

/** Statements on match pools and their draws. Amounts in minor units of the pool's currency. */

export interface PoolRow {
  readonly id: string;
  readonly event_id: string;
  readonly name: string;
  readonly matcher_name: string | null;
  readonly is_matcher_anonymous: boolean;
  readonly matcher_email: string | null;
  readonly matcher_key: Buffer | null;
  /** Digest of an uploaded picture. */
  readonly logo: string | null;
  readonly url: string | null;
  readonly cap: bigint;
  readonly currency: string;
  /** Hundredths of a percent. */
  readonly ratio: number;
  readonly per_gift_cap: bigint | null;
  readonly min_gift: bigint | null;
  readonly per_donor_cap: bigint | null;
  readonly kinds: readonly DonationType[] | null;
  readonly opens_at: Date | null;
  readonly closes_at: Date | null;
  readonly grace_minutes: number;
  readonly keeps_pledges: boolean;
  readonly keep_days: number;
  readonly remainder: 'not_given' | 'given_anyway';
  readonly priority: number;
  /** A day: `2026-12-31`. */
  readonly due_on: string | null;
  readonly status: PoolStatus;
  readonly drawn: bigint;
  readonly kept: bigint;
  readonly used_up_at: Date | null;
  readonly ended_at: Date | null;
  readonly settled_at: Date | null;
  readonly settled_note: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A pool with the sum of the matcher's payments. */
export interface PoolWithSums extends PoolRow {
  readonly settled: bigint;
  readonly gifts: number;
}

const COLUMNS = `pool.id, pool.event_id, pool.name, pool.matcher_name, pool.is_matcher_anonymous, pool.matcher_email,
    pool.matcher_key, pool.logo, pool.url, pool.cap, pool.currency, pool.ratio, pool.per_gift_cap, pool.min_gift,
    pool.per_donor_cap, pool.kinds::text[] AS kinds, pool.opens_at, pool.closes_at, pool.grace_minutes, pool.keeps_pledges,
    pool.keep_days, pool.remainder, pool.priority, pool.due_on::text AS due_on, pool.status, pool.drawn, pool.kept,
    pool.used_up_at, pool.ended_at, pool.settled_at, pool.settled_note, pool.version, pool.created_at, pool.updated_at`;

/** Sum of a matcher's payments without refunds. */
const SETTLED = `(SELECT coalesce(sum(payment.amount - payment.refunded_amount), 0)::bigint FROM donation payment
    WHERE payment.match_pool_id = pool.id AND payment.status = 'COMPLETED')`;

/** Sum that the pools of an event added and their matchers have not paid yet. */
export const unpaidMatches = (eventId: string): string =>
  `SELECT coalesce(sum(greatest(0, pool.drawn - ${SETTLED})), 0)::bigint FROM match_pool pool WHERE pool.event_id = ${eventId}`;

const GIFTS = `(SELECT count(*)::int FROM match_draw WHERE match_draw.pool_id = pool.id AND match_draw.amount > 0)`;

const WITH_SUMS = `SELECT ${COLUMNS}, ${SETTLED} AS settled, ${GIFTS} AS gifts FROM match_pool pool`;

export const POOL_BY_ID: Statement = { name: 'match_pool_by_id', text: `${WITH_SUMS} WHERE pool.id = $1` };

/** $1: event. Newest first. */
export const POOLS_OF_EVENT: Statement = {
  name: 'match_pools_of_event',
  text: `${WITH_SUMS} WHERE pool.event_id = $1 ORDER BY pool.id DESC LIMIT 200`,
};

export interface PoolFiguresRow extends PoolWithSums {
  /** Number of pledges for which the pool keeps money. */
  readonly pledges: number;
  readonly payments: number;
}

/** $1: event. Oldest first. */
export const FIGURES_OF_EVENT: Statement = {
  name: 'match_figures_of_event',
  text: `SELECT ${COLUMNS}, ${SETTLED} AS settled, ${GIFTS} AS gifts,
      (SELECT count(*)::int FROM match_draw WHERE match_draw.pool_id = pool.id AND match_draw.kept > 0) AS pledges,
      (SELECT count(*)::int FROM donation payment
        WHERE payment.match_pool_id = pool.id AND payment.status = 'COMPLETED') AS payments
    FROM match_pool pool WHERE pool.event_id = $1 AND pool.status NOT IN ('draft', 'cancelled') ORDER BY pool.id`,
};

export const LOCK_POOL: Statement = {
  name: 'match_pool_lock',
  text: `SELECT ${COLUMNS} FROM match_pool pool WHERE pool.id = $1 FOR NO KEY UPDATE`,
};

/** $1: event. Locks the pools that can match donations or release draws, in the order of their ids. */
export const LOCK_POOLS: Statement = {
  name: 'match_pools_lock',
  text: `SELECT ${COLUMNS} FROM match_pool pool WHERE pool.event_id = $1 AND pool.status NOT IN ('draft', 'cancelled')
    ORDER BY pool.id FOR NO KEY UPDATE`,
};

/** True if an event has a pool that can match donations or release draws. */
export const HAS_POOLS: Statement = {
  name: 'match_event_has_pools',
  text: `SELECT 1 AS one FROM match_pool WHERE event_id = $1 AND status NOT IN ('draft', 'cancelled') LIMIT 1`,
};

export const EVENT_OVERRIDES: Statement = {
  name: 'match_event_overrides',
  text: 'SELECT overrides FROM event WHERE id = $1',
};

export const INTERVALS_OF: Statement = {
  name: 'match_intervals_of',
  text: `SELECT pool_id, opened_at, closed_at FROM match_pool_interval WHERE pool_id = ANY($1::uuid[])
    ORDER BY pool_id, opened_at`,
};

/** Events with a pool that a time opens or ends now, or with a kept amount of a pledge that may be released. */
export const DUE_EVENTS: Statement = {
  name: 'match_due_events',
  text: `SELECT DISTINCT event_id FROM match_pool WHERE status IN ('scheduled', 'open', 'paused')
      AND (status = 'scheduled' AND opens_at <= now() OR status <> 'scheduled' AND closes_at <= now()
        OR status = 'open' AND drawn + kept = cap AND used_up_at + make_interval(mins => grace_minutes) <= now())`,
};

/** Pledges with kept money that are no longer open, or whose time to pay is over. $1: limit */
export const OVERDUE_KEPT: Statement = {
  name: 'match_overdue_kept',
  text: `SELECT pool.event_id, draw.donation_id FROM match_draw draw JOIN match_pool pool ON pool.id = draw.pool_id
      JOIN donation ON donation.id = draw.donation_id
    WHERE draw.state = 'kept' AND (donation.status IN ('CANCELLED', 'FAILED', 'REFUNDED')
      OR now() > draw.given_at + make_interval(days => pool.keep_days))
    ORDER BY draw.donation_id LIMIT $1`,
};

/** A donation as the rule sees it, with the message about it. */
export interface GiftRow {
  readonly outbox_id: bigint | null;
  readonly arrived_at: Date;
  readonly id: string;
  readonly event_id: string;
  readonly currency: string;
  readonly type: DonationType;
  readonly status: DonationStatus;
  readonly amount: bigint;
  readonly refunded_amount: bigint;
  readonly covered_fee: bigint | null;
  readonly match_pool_id: string | null;
  readonly donor_key: Buffer | null;
  readonly provider: string | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly recorded_at: Date | null;
}

const GIFT = `donation.id, donation.event_id, donation.currency, donation.type, donation.status, donation.amount,
    donation.refunded_amount, donation.covered_fee, donation.match_pool_id, donation.donor_key, donation.provider,
    donation.created_at, donation.completed_at, donation.recorded_at`;

/** $1: messages. The present state of their donations, in the order of the messages. */
export const GIFTS_OF_MESSAGES: Statement = {
  name: 'match_gifts_of_messages',
  text: `SELECT outbox.id AS outbox_id, outbox.created_at AS arrived_at, ${GIFT} FROM outbox
      JOIN donation ON donation.id = outbox.donation_id WHERE outbox.id = ANY($1::bigint[]) ORDER BY outbox.sequence`,
};

/** $1: donations */
export const GIFTS_BY_ID: Statement = {
  name: 'match_gifts_by_id',
  text: `SELECT NULL::bigint AS outbox_id, now() AS arrived_at, ${GIFT} FROM donation
    WHERE donation.id = ANY($1::uuid[]) ORDER BY donation.id`,
};

export interface DrawRow {
  readonly pool_id: string;
  readonly donation_id: string;
  readonly amount: bigint;
  readonly kept: bigint;
  readonly base: bigint;
  readonly state: 'drawn' | 'kept' | 'released';
  readonly given_at: Date;
}

const DRAW = 'draw.pool_id, draw.donation_id, draw.amount, draw.kept, draw.base, draw.state, draw.given_at';

/** $1: donations */
export const DRAWS_OF: Statement = {
  name: 'match_draws_of',
  text: `SELECT ${DRAW} FROM match_draw draw WHERE draw.donation_id = ANY($1::uuid[])`,
};

/** $1: pools; $2: donations. Kept money of the pledges that these donations paid. */
export const KEPT_FOR: Statement = {
  name: 'match_kept_for',
  text: `SELECT ${DRAW}, donation.paid_by FROM match_draw draw JOIN donation ON donation.id = draw.donation_id
    WHERE draw.pool_id = ANY($1::uuid[]) AND draw.state = 'kept' AND donation.paid_by = ANY($2::uuid[])`,
};

/** $1: pools; $2: donor keys. Sums that the donations of these donors drew, with the sums kept for their pledges. */
export const DRAWN_BY_DONORS: Statement = {
  name: 'match_drawn_by_donors',
  text: `SELECT draw.pool_id, donation.donor_key, sum(draw.amount + draw.kept)::bigint AS drew
    FROM match_draw draw JOIN donation ON donation.id = draw.donation_id
    WHERE draw.pool_id = ANY($1::uuid[]) AND donation.donor_key = ANY($2::bytea[]) GROUP BY 1, 2`,
};

/** $1: JSON array of draws */
export const WRITE_DRAWS: Statement = {
  name: 'match_draws_write',
  text: `INSERT INTO match_draw AS draw (pool_id, donation_id, amount, kept, base, state, given_at, outbox_id, changed_at)
    SELECT pool_id, donation_id, amount, kept, base, state, given_at, outbox_id, clock_timestamp()
      FROM ${recordsOf('input', {
        pool_id: 'uuid',
        donation_id: 'uuid',
        amount: 'bigint',
        kept: 'bigint',
        base: 'bigint',
        state: 'text',
        given_at: 'timestamptz',
        outbox_id: 'bigint',
      })}
    ON CONFLICT (pool_id, donation_id) DO UPDATE SET amount = excluded.amount, kept = excluded.kept, base = excluded.base,
      state = excluded.state, outbox_id = excluded.outbox_id, changed_at = excluded.changed_at`,
};

/** Sets the sums of locked pools. $1: pools; $2, $3: drawn and kept sum of each */
export const SET_SUMS: Statement = {
  name: 'match_pools_set_sums',
  text: `UPDATE match_pool AS pool SET drawn = input.drawn, kept = input.kept,
      used_up_at = CASE WHEN input.drawn + input.kept = pool.cap THEN coalesce(pool.used_up_at, now()) ELSE pool.used_up_at END
    FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS input (id, drawn, kept) WHERE pool.id = input.id`,
};

/** Announces the matched amounts of donations. $1: event; $2: donations */
export const ANNOUNCE_MATCHED: Statement = {
  name: 'match_announce',
  text: `INSERT INTO outbox (event_id, topic, donation_id)
    SELECT $1, 'donation.updated', id FROM unnest($2::uuid[]) AS matched (id)`,
};

/** $1: pools. Sums of the matchers' payments. */
export const SETTLED_OF: Statement = {
  name: 'match_settled_of',
  text: `SELECT pool.id, ${SETTLED} AS settled FROM match_pool pool WHERE pool.id = ANY($1::uuid[])`,
};

/** $1: pool; $2: time. */
export const OPEN_INTERVAL: Statement = {
  name: 'match_interval_open',
  text: `INSERT INTO match_pool_interval (pool_id, opened_at) VALUES ($1, $2) ON CONFLICT (pool_id, opened_at)
    DO UPDATE SET closed_at = NULL`,
};

/** $1: pool; $2: time */
export const CLOSE_INTERVAL: Statement = {
  name: 'match_interval_close',
  text: `UPDATE match_pool_interval SET closed_at = greatest(opened_at, $2) WHERE pool_id = $1 AND closed_at IS NULL`,
};

/** $1: pool; $2: status; $3: end, or null; $4: true if the pool is settled now; $5: note */
export const SET_STATUS: Statement = {
  name: 'match_pool_set_status',
  text: `UPDATE match_pool SET status = $2, ended_at = coalesce($3, ended_at), version = version + 1, updated_at = now(),
      settled_at = CASE WHEN $4 THEN now() ELSE settled_at END, settled_note = CASE WHEN $4 THEN $5 ELSE settled_note END
    WHERE id = $1`,
};

const WRITTEN = [
  'name',
  'matcher_name',
  'is_matcher_anonymous',
  'matcher_email',
  'matcher_key',
  'logo',
  'url',
  'cap',
  'ratio',
  'per_gift_cap',
  'min_gift',
  'per_donor_cap',
  'kinds',
  'opens_at',
  'closes_at',
  'grace_minutes',
  'keeps_pledges',
  'keep_days',
  'remainder',
  'priority',
  'due_on',
] as const;

/** The columns that a request sets. */
export type WrittenPool = Pick<PoolRow, (typeof WRITTEN)[number]>;

export const writtenValues = (pool: WrittenPool): unknown[] => WRITTEN.map((column) => pool[column]);

const placeholder = (column: string, index: number) =>
  `$${index}${column === 'kinds' ? '::text[]::donation_type[]' : ''}`;

/** The currency is the event's. $1: pool; $2: event; $3: kind of the user; $4: user; then the written columns */
export const INSERT_POOL: Statement = {
  name: 'match_pool_insert',
  text: `INSERT INTO match_pool (id, event_id, currency, status, version, actor_kind, actor_id, ${WRITTEN.join(', ')})
    SELECT $1, event.id, event.currency, 'draft', 1, $3::actor_kind, $4, ${WRITTEN.map((column, index) =>
      placeholder(column, index + 5),
    ).join(', ')} FROM event WHERE event.id = $2 AND event.status <> 'archived' FOR KEY SHARE`,
};

/** $1: pool; then the written columns */
export const UPDATE_POOL: Statement = {
  name: 'match_pool_update',
  text: `UPDATE match_pool SET ${WRITTEN.map((column, index) => `${column} = ${placeholder(column, index + 2)}`).join(', ')},
      used_up_at = CASE WHEN drawn + kept < $${WRITTEN.indexOf('cap') + 2}::bigint THEN NULL ELSE used_up_at END,
      version = version + 1, updated_at = now() WHERE id = $1`,
};

export const DELETE_POOL: Statement = {
  name: 'match_pool_delete',
  text: 'DELETE FROM match_pool WHERE id = $1',
};

export const HAS_DRAWS: Statement = {
  name: 'match_pool_has_draws',
  text: `SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM match_draw WHERE pool_id = $1)
    OR EXISTS (SELECT 1 FROM donation WHERE match_pool_id = $1)`,
};

/** $1: pool; $2: last donation of the page before, or null; $3: limit. Newest donations first. */
export const DRAWS_OF_POOL: Statement = {
  name: 'match_draws_of_pool',
  text: `SELECT ${DRAW}, draw.changed_at, donation.amount AS donation_amount, donation.status AS donation_status,
      donation.receipt_number
    FROM match_draw draw JOIN donation ON donation.id = draw.donation_id
    WHERE draw.pool_id = $1 AND ($2::uuid IS NULL OR draw.donation_id < $2)
    ORDER BY draw.donation_id DESC LIMIT $3`,
};

export interface LetterDrawRow {
  readonly donation_id: string;
  readonly receipt_number: string | null;
  readonly given_at: Date;
  readonly base: bigint;
  readonly amount: bigint;
}

/** $1: pool; $2: limit. Donations that drew, oldest first, without their donors. */
export const DRAWS_FOR_LETTER: Statement = {
  name: 'match_draws_for_letter',
  text: `SELECT draw.donation_id, donation.receipt_number, draw.given_at, draw.base, draw.amount
    FROM match_draw draw JOIN donation ON donation.id = draw.donation_id
    WHERE draw.pool_id = $1 AND draw.amount > 0 ORDER BY draw.given_at, draw.donation_id LIMIT $2`,
};

/** $1: pool. The payments of the matcher. */
export const SETTLEMENTS_OF_POOL: Statement = {
  name: 'match_settlements_of_pool',
  text: `SELECT donation.id, donation.amount, donation.refunded_amount, donation.type, donation.status,
      coalesce(donation.recorded_at, donation.completed_at, donation.created_at) AS received_at
    FROM donation WHERE donation.match_pool_id = $1 ORDER BY donation.id DESC LIMIT 500`,
};

/** $1: event. Other open pools of an event, with their ratios. */
export const OPEN_RATIOS: Statement = {
  name: 'match_open_ratios',
  text: `SELECT coalesce(sum(ratio), 0)::int AS ratios FROM match_pool WHERE event_id = $1 AND status IN ('open', 'paused') AND id <> $2`,
};

const PUBLIC = `pool.status NOT IN ('draft', 'cancelled') AND event.status <> 'archived'`;

/** The public columns of a pool. No statement for the public reads the matcher's address. */
const SHOWN = `pool.id, pool.event_id, pool.name, CASE WHEN NOT pool.is_matcher_anonymous THEN pool.matcher_name END AS matcher_name,
    CASE WHEN NOT pool.is_matcher_anonymous THEN pool.logo END AS logo,
    CASE WHEN NOT pool.is_matcher_anonymous THEN pool.url END AS url, pool.cap, pool.currency, pool.ratio, pool.per_gift_cap,
    pool.min_gift, pool.per_donor_cap, pool.kinds::text[] AS kinds, pool.opens_at, pool.closes_at, pool.remainder, pool.priority,
    pool.status, pool.drawn, pool.kept, pool.used_up_at, ${SETTLED} AS settled`;

/** The columns of `SHOWN`. The name, logo and address of an anonymous matcher are null. */
export type PublicPoolRow = Omit<
  PoolWithSums,
  | 'is_matcher_anonymous'
  | 'matcher_email'
  | 'matcher_key'
  | 'grace_minutes'
  | 'keeps_pledges'
  | 'keep_days'
  | 'due_on'
  | 'ended_at'
  | 'settled_at'
  | 'settled_note'
  | 'version'
  | 'created_at'
  | 'updated_at'
  | 'gifts'
>;

/** $1: event. Pools that the public may see. */
export const PUBLIC_POOLS: Statement = {
  name: 'match_public_pools',
  text: `SELECT ${SHOWN} FROM match_pool pool JOIN event ON event.id = pool.event_id
    WHERE pool.event_id = $1 AND ${PUBLIC} ORDER BY pool.priority, pool.opens_at, pool.id LIMIT 50`,
};

/** $1: pools */
export const PUBLIC_POOLS_BY_ID: Statement = {
  name: 'match_public_pools_by_id',
  text: `SELECT ${SHOWN} FROM match_pool pool JOIN event ON event.id = pool.event_id
    WHERE pool.id = ANY($1::uuid[]) AND ${PUBLIC}`,
};

/** Sum that a donation drew from one pool. */
export interface OwnDrawRow {
  readonly has_pools: boolean;
  readonly is_waiting: boolean;
  readonly amount: bigint | null;
  readonly wanted: bigint | null;
  readonly name: string | null;
  readonly matcher_name: string | null;
}

/**
 * Sums that a donation drew, with the names of the pools; for its donor. One row without a draw shows if the event has pools, and
 * if the match follower has not handled all messages of the event.
 * $1: donation
 */
export const OWN_DRAWS: Statement = {
  name: 'match_own_draws',
  text: `SELECT EXISTS (SELECT 1 FROM match_pool pool WHERE pool.event_id = donation.event_id
        AND pool.status NOT IN ('draft', 'cancelled')) AS has_pools,
      drew.amount IS NULL AND donation.completed_at > now() - interval '10 minutes' AND (
        EXISTS (SELECT 1 FROM outbox WHERE outbox.sequence IS NULL AND outbox.event_id = donation.event_id)
        OR EXISTS (SELECT 1 FROM event_feed feed LEFT JOIN follower_position position
          ON position.event_id = feed.event_id AND position.follower = 'match'
        WHERE feed.event_id = donation.event_id AND coalesce(position.sequence, 0) < feed.last_sequence)) AS is_waiting,
      drew.amount, drew.wanted, drew.name, drew.matcher_name
    FROM donation LEFT JOIN LATERAL (
      SELECT draw.amount, least(draw.base * pool.ratio / 10000, pool.per_gift_cap) AS wanted, pool.name,
          CASE WHEN NOT pool.is_matcher_anonymous THEN pool.matcher_name END AS matcher_name
        FROM match_draw draw JOIN match_pool pool ON pool.id = draw.pool_id
       WHERE draw.donation_id = donation.id ORDER BY pool.priority, pool.opens_at, pool.id) AS drew ON true
    WHERE donation.id = $1`,
};
