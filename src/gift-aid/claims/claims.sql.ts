import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { PostalAddress } from '../../common/text/postal-address.js';
import type { Statement } from '../../data/database.js';
import { GIVEN_AT } from '../../donations/list/donation-filters.sql.js';
import { COVERING } from '../covering.sql.js';

/** SQL statements on claims of Gift Aid. Amounts in pence. */

/** Rows of the schedule of HM Revenue and Customs. */
const MOST_ROWS = 1_000;

const GIVEN = `coalesce(${GIVEN_AT}, donation.created_at)`;
/** The tax year begins on 6 April, and the day three months and five days earlier is 1 January. */
const taxYear = (given: string) =>
  `extract(year FROM (${given} AT TIME ZONE $1)::date - interval '3 months 5 days')`;

/**
 * True if the benefit of a donation is within the limits of HM Revenue and Customs. A benefit is at most 25 % of the first £100 and
 * 5 % of the rest. The benefits of a donor are at most £2,500 in a tax year. They are counted up to this donation.
 */
const IS_WITHIN_LIMITS = `(coalesce(claimable.benefit_value, 0) = 0 OR (
      claimable.benefit_value * 100 <= least(claimable.amount, 10000) * 25 + greatest(claimable.amount - 10000, 0) * 5
      AND claimable.benefit_value + coalesce((SELECT sum(donation.benefit_value) FROM donation
        WHERE donation.donor_key = claimable.donor_key AND ${notRehearsal('donation.event_id')} AND donation.status = 'COMPLETED' AND donation.currency = 'gbp'
          AND donation.amount > donation.refunded_amount AND donation.benefit_value > 0
          AND ${taxYear(GIVEN)} = ${taxYear('claimable.given_at')}
          AND (${GIVEN}, donation.id) < (claimable.given_at, claimable.id)), 0) <= 250000))`;

/**
 * Paid donations of a period that a declaration covers and that are in no claim, also of erased donors.
 * $1: time zone; $2: given from; $3: given before; $4: donations that are left out
 */
const JUDGED = `claimable AS (
    SELECT donation.id, donation.donor_key, donation.currency, donation.benefit_value, covering.declaration_id,
      donation.amount - donation.refunded_amount AS amount, ${GIVEN} AS given_at
    FROM donation CROSS JOIN ${COVERING}
    WHERE donation.id IN (SELECT donation_id FROM gift_aid_declaration
        UNION ALL SELECT d.id FROM donation d JOIN gift_aid_declaration w
          ON w.donor_key = d.donor_key AND w.scope = 'past_and_future')
      AND ${notRehearsal('donation.event_id')} AND donation.status = 'COMPLETED'
      AND donation.amount > donation.refunded_amount AND ${GIVEN} >= $2 AND ${GIVEN} < $3
      AND NOT EXISTS (SELECT 1 FROM gift_aid_claim_donation claimed WHERE claimed.donation_id = donation.id)),
  judged AS (SELECT claimable.id, claimable.declaration_id, claimable.amount, claimable.given_at, claimable.currency = 'gbp' AS is_gbp, ${IS_WITHIN_LIMITS} AS is_within_limits
    FROM claimable WHERE claimable.id <> ALL($4::uuid[]))`;

export interface PreviewRow {
  readonly donations: number;
  readonly amount: bigint;
  readonly waiting: number;
  readonly above_limits: number;
  readonly other_currency: number;
}

/** A claim of the period, before it is made. Parameters as in `JUDGED`. */
export const PREVIEW: Statement = {
  name: 'gift_aid_claim_preview',
  text: `WITH ${JUDGED},
  placed AS (SELECT amount, row_number() OVER (ORDER BY given_at, id) AS place FROM judged WHERE is_gbp AND is_within_limits)
    SELECT (SELECT count(*) FROM placed WHERE place <= ${MOST_ROWS})::int AS donations,
      (SELECT coalesce(sum(amount), 0) FROM placed WHERE place <= ${MOST_ROWS})::bigint AS amount,
      (SELECT count(*) FROM placed WHERE place > ${MOST_ROWS})::int AS waiting,
      (SELECT count(*) FROM judged WHERE is_gbp AND NOT is_within_limits)::int AS above_limits,
      (SELECT count(*) FROM judged WHERE NOT is_gbp)::int AS other_currency`,
};

/** A row of a schedule. The declaration is null after its legal period. */
export interface ClaimedRow {
  readonly donation_id: string;
  readonly declaration_id: string | null;
  /** `YYYY-MM-DD` */
  readonly given_on: string;
  readonly amount: bigint;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly address: PostalAddress | null;
}

/** The rows of a new claim, oldest first. Locks the declarations against deletion. Parameters as in `JUDGED`. */
export const CLAIM_ROWS: Statement = {
  name: 'gift_aid_claim_rows',
  text: `WITH ${JUDGED}
    SELECT judged.id AS donation_id, g.id AS declaration_id, (judged.given_at AT TIME ZONE $1)::date::text AS given_on, judged.amount,
      g.first_name, g.last_name, g.address
    FROM judged JOIN gift_aid_declaration g ON g.id = judged.declaration_id
    WHERE judged.is_gbp AND judged.is_within_limits
    ORDER BY judged.given_at, judged.id LIMIT ${MOST_ROWS} FOR KEY SHARE OF g`,
};

export interface CandidateRow {
  readonly donation_id: string;
  /** Null after the erasure of the donor. */
  readonly donor_name: string | null;
  /** `YYYY-MM-DD` */
  readonly given_on: string;
  readonly amount: bigint;
}

/** The donations that a claim would contain, oldest first. Parameters as in `JUDGED`. */
export const CANDIDATES: Statement = {
  name: 'gift_aid_claim_candidates',
  text: `WITH ${JUDGED}
    SELECT judged.id AS donation_id, d.donor_name, (judged.given_at AT TIME ZONE $1)::date::text AS given_on, judged.amount
    FROM judged JOIN donation d ON d.id = judged.id WHERE judged.is_gbp AND judged.is_within_limits
    ORDER BY judged.given_at, judged.id LIMIT ${MOST_ROWS}`,
};

/** $1: id; $2: first day; $3: last day; $4: rows; $5: amount; $6: adjusted amount; $7: digest; $8, $9: actor; $10: time */
export const INSERT_CLAIM: Statement = {
  name: 'gift_aid_claim_insert',
  text: `INSERT INTO gift_aid_claim (id, number, first_day, last_day, row_count, amount, adjusted_amount, digest, actor_kind, actor_id,
      created_at)
    SELECT $1::uuid, coalesce(max(number), 0) + 1, $2::date, $3::date, $4::int, $5::bigint, $6::bigint, $7::bytea, $8::actor_kind, $9::text,
      $10::timestamptz FROM gift_aid_claim`,
};

/** $1: claim; then one list for each column, in the order of the schedule */
export const INSERT_CLAIMED: Statement = {
  name: 'gift_aid_claim_insert_donations',
  text: `INSERT INTO gift_aid_claim_donation (claim_id, place, donation_id, declaration_id, given_on, amount)
    SELECT $1, place, donation_id, declaration_id, given_on, amount
    FROM unnest($2::uuid[], $3::uuid[], $4::date[], $5::bigint[])
      WITH ORDINALITY AS row (donation_id, declaration_id, given_on, amount, place)`,
};

/** Money of a claimed donation that the donor got back. */
export interface AdjustmentRow {
  readonly claim_id: string | null;
  readonly donation_id: string;
  readonly claim_number: number;
  readonly amount: bigint;
}

/** Money that was returned after its claim and is in no adjustment yet, oldest claim first. */
export const PENDING_ADJUSTMENTS: Statement = {
  name: 'gift_aid_adjustments_pending',
  text: `SELECT NULL::uuid AS claim_id, pending.donation_id, pending.claim_number, pending.amount FROM (
      SELECT claimed.donation_id, claim.number AS claim_number, (claimed.amount
        - least(claimed.amount, CASE donation.status WHEN 'COMPLETED' THEN donation.amount - donation.refunded_amount ELSE 0 END)
        - coalesce((SELECT sum(made.amount) FROM gift_aid_adjustment made WHERE made.donation_id = claimed.donation_id), 0)
        )::bigint AS amount, claimed.place
      FROM gift_aid_claim_donation claimed JOIN gift_aid_claim claim ON claim.id = claimed.claim_id
      JOIN donation ON donation.id = claimed.donation_id) AS pending
    WHERE pending.amount > 0 ORDER BY pending.claim_number, pending.place`,
};

/** The adjustments of all claims. */
export const ADJUSTMENTS: Statement = {
  name: 'gift_aid_adjustments',
  text: `SELECT made.claim_id, made.donation_id, claim.number AS claim_number, made.amount FROM gift_aid_adjustment made
    JOIN gift_aid_claim_donation claimed ON claimed.donation_id = made.donation_id
    JOIN gift_aid_claim claim ON claim.id = claimed.claim_id ORDER BY claim.number, claimed.place`,
};

/** $1: claim; $2: donations; $3: amounts */
export const INSERT_ADJUSTMENTS: Statement = {
  name: 'gift_aid_adjustments_insert',
  text: `INSERT INTO gift_aid_adjustment (claim_id, donation_id, amount)
    SELECT $1, donation_id, amount FROM unnest($2::uuid[], $3::bigint[]) AS row (donation_id, amount)`,
};

export interface ClaimRow {
  readonly id: string;
  readonly number: number;
  /** `YYYY-MM-DD` */
  readonly first_day: string;
  readonly last_day: string;
  readonly row_count: number;
  readonly amount: bigint;
  readonly adjusted_amount: bigint;
  readonly digest: Buffer;
  readonly actor_id: string | null;
  readonly created_at: Date;
}

const CLAIM = `SELECT id, number, first_day::text, last_day::text, row_count, amount, adjusted_amount, digest, actor_id, created_at
    FROM gift_aid_claim`;

/** All claims, newest first. */
export const CLAIMS: Statement = { name: 'gift_aid_claims', text: `${CLAIM} ORDER BY number DESC` };

/** $1: claim */
export const CLAIM_BY_ID: Statement = { name: 'gift_aid_claim_by_id', text: `${CLAIM} WHERE id = $1` };

/** The rows of a claim in the order of its schedule. $1: claim */
export const ROWS_OF_CLAIM: Statement = {
  name: 'gift_aid_rows_of_claim',
  text: `SELECT claimed.donation_id, claimed.declaration_id, claimed.given_on::text, claimed.amount, g.first_name, g.last_name, g.address
    FROM gift_aid_claim_donation claimed LEFT JOIN gift_aid_declaration g ON g.id = claimed.declaration_id
    WHERE claimed.claim_id = $1 ORDER BY claimed.place`,
};
