import type { DonationStatus } from '../donations/lifecycle/donation-lifecycle.js';
import type { AddressDto } from '../common/validation/address.dto.js';
import type { DonationType } from '../donations/store/donation-columns.js';
import type { Statement } from '../data/database.js';
import type { PoolStatus } from '../match/pool-status.js';
import type { Basis } from '../milestones/reached-basis.js';

/** Facts about a donation without personal data, and its state in the last message. */
export interface DonationFacts {
  readonly id: string;
  readonly event_id: string;
  readonly slug: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly refunded_amount: bigint;
  readonly type: DonationType;
  readonly status: DonationStatus;
  readonly provider: string | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly updated_at: Date;
  readonly pledged_amount: bigint | null;
  readonly round_id: string | null;
  readonly paid_by: string | null;
  /** True for a pledge that staff marked as paid. */
  readonly was_pledge: boolean;
  readonly known_status: DonationStatus | null;
  readonly known_refunded: bigint | null;
  readonly known_changed_at: Date | null;
}

export const DONATION_FACTS: Statement = {
  name: 'webhook_donation_facts',
  text: `SELECT donation.id, donation.event_id, event.slug, donation.amount, donation.currency, donation.refunded_amount, donation.type,
      donation.status, donation.provider, donation.created_at, donation.completed_at, donation.updated_at,
      donation.pledged_amount, donation.round_id, donation.paid_by, EXISTS (SELECT FROM donation_history history
        WHERE history.donation_id = donation.id AND history.cause ->> 'kind' = 'pledge_fulfilled') AS was_pledge,
      known.status AS known_status, known.refunded_amount AS known_refunded, known.changed_at AS known_changed_at
    FROM donation JOIN event ON event.id = donation.event_id LEFT JOIN webhook_donation known ON known.donation_id = donation.id
    WHERE donation.id = ANY($1::uuid[])`,
};

/** Facts about a pledge without personal data, and its status in the last message. */
export interface PledgeFacts {
  readonly id: string;
  readonly event_id: string;
  readonly slug: string;
  readonly amount: bigint;
  readonly pledged_amount: bigint | null;
  readonly currency: string;
  readonly status: DonationStatus;
  readonly round_id: string | null;
  readonly paid_by: string | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly updated_at: Date;
  readonly known_status: DonationStatus | null;
}

/**
 * Locks pledges whose status is not that of their last message, oldest first, so that staff cannot mark them as paid in between.
 * $1: only changes of this last time, or null for all; $2: limit
 */
export const CHANGED_PLEDGES: Statement = {
  name: 'webhook_changed_pledges',
  text: `SELECT donation.id, donation.event_id, event.slug, donation.amount, donation.pledged_amount, donation.currency, donation.status,
      donation.round_id, donation.paid_by, donation.created_at, donation.completed_at, donation.updated_at,
      known.status AS known_status
    FROM donation JOIN event ON event.id = donation.event_id LEFT JOIN webhook_donation known ON known.donation_id = donation.id
    WHERE donation.type = 'pledge' AND known.status IS DISTINCT FROM donation.status
      AND ($1::interval IS NULL OR donation.updated_at > now() - $1::interval)
    ORDER BY donation.id LIMIT $2 FOR NO KEY UPDATE OF donation SKIP LOCKED`,
};

/** Keeps the statuses of pledges. Returns those that were not kept yet. $1: pledges; $2: statuses; $3: times of the last change */
export const KEEP_PLEDGES: Statement = {
  name: 'webhook_pledges_keep',
  text: `INSERT INTO webhook_donation (donation_id, status, refunded_amount, changed_at)
    SELECT id, status, 0, changed FROM unnest($1::uuid[], $2::donation_status[], $3::timestamptz[]) AS input (id, status, changed)
    ON CONFLICT (donation_id) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at
      WHERE webhook_donation.status <> excluded.status
    RETURNING donation_id`,
};

/** Keeps all pledges when the first endpoint is created. They were made before, so they are not announced as made. */
export const KEEP_EARLIER_PLEDGES: Statement = {
  name: 'webhook_pledges_keep_earlier',
  text: `INSERT INTO webhook_donation (donation_id, status, refunded_amount, changed_at)
    SELECT id, status, 0, updated_at FROM donation WHERE type = 'pledge' AND (SELECT count(*) FROM webhook_endpoint) = 1
    ON CONFLICT (donation_id) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at`,
};

/** Keeps the states of donations. $1: donations; $2: statuses; $3: refunded amounts; $4: times of the last change */
export const KEEP_DONATIONS: Statement = {
  name: 'webhook_donations_keep',
  text: `INSERT INTO webhook_donation (donation_id, status, refunded_amount, changed_at)
    SELECT id, status, refunded, changed FROM
      unnest($1::uuid[], $2::donation_status[], $3::bigint[], $4::timestamptz[]) AS input (id, status, refunded, changed)
    ON CONFLICT (donation_id) DO UPDATE SET status = excluded.status, refunded_amount = excluded.refunded_amount,
      changed_at = excluded.changed_at`,
};

/** Personal and further data of a donation, for endpoints that may get it. */
export interface DonationDetails {
  readonly donor_name: string | null;
  readonly donor_email: string | null;
  readonly address: AddressDto | null;
  readonly is_anonymous: boolean;
  readonly message: string | null;
  readonly locale: string | null;
  readonly gift_aid: boolean;
  readonly receipt_number: string | null;
  readonly fee: bigint | null;
  readonly fee_currency: string | null;
  readonly paddle: string | null;
}

export const DONATION_DETAILS: Statement = {
  name: 'webhook_donation_details',
  text: `SELECT donor_name, donor_email, address, is_anonymous, message, locale, gift_aid, receipt_number, fee, fee_currency, paddle
    FROM donation WHERE id = $1`,
};

export interface PoolFacts {
  readonly id: string;
  readonly event_id: string;
  readonly slug: string;
  readonly status: PoolStatus;
  readonly cap: bigint;
  readonly drawn: bigint;
  readonly kept: bigint;
  readonly currency: string;
}

export const POOL_FACTS: Statement = {
  name: 'webhook_pool_facts',
  text: `SELECT pool.id, pool.event_id, event.slug, pool.status, pool.cap, pool.drawn, pool.kept, pool.currency
    FROM match_pool pool JOIN event ON event.id = pool.event_id WHERE pool.id = ANY($1::uuid[]) ORDER BY pool.id`,
};

export interface MilestoneFacts {
  readonly id: string;
  readonly event_id: string;
  readonly slug: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly basis: Basis;
  readonly reached_at: Date | null;
}

export const MILESTONE_FACTS: Statement = {
  name: 'webhook_milestone_facts',
  text: `SELECT milestone.id, milestone.event_id, event.slug, milestone.amount, event.currency, milestone.basis, milestone.reached_at
    FROM milestone JOIN event ON event.id = milestone.event_id WHERE milestone.id = ANY($1::uuid[]) ORDER BY milestone.id`,
};
