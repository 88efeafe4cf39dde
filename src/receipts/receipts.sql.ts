import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Statement } from '../data/database.js';
import { GIVEN_AT } from '../donations/list/donation-filters.sql.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import type { AnnualFacts } from './packs/receipt-pack.js';
import { NEEDED, NOT_PRINTED } from './receipt-row.js';

const COLUMNS = Object.values(NEEDED).filter((column) => column !== null);
const PRINTED_COLUMNS = COLUMNS.filter((column) => !NOT_PRINTED.some((name) => column === NEEDED[name]));
const RECEIPT =
  'e.name AS event_name, r.year, r.number, r.issued_at, r.printed, r.replaces, r.method, r.wallet, r.check_code, ' +
  'r.pack, r.pack_version, r.facts';

/** Columns of a receipt in the order in which it is issued. */
const ISSUED =
  'donation_id, year, number, issued_at, printed, replaces, method, wallet, check_code, pack, pack_version, facts';

/** Values of donation `d` that a receipt issued now would print. */
const PRINTED = `jsonb_build_object('donorName', d.donor_name, 'message', d.message, 'amount', d.amount,
  'donorAddress', d.donor_address)`;
/** Values that a receipt of a pack prints. A refund changes it, because the tax office accepts only the part that was kept. */
const PRINTED_BY_PACK = `jsonb_build_object('donorName', d.donor_name, 'donorAddress', d.donor_address,
  'amount', d.amount, 'refunded', d.refunded_amount, 'benefitValue', d.benefit_value, 'benefitText', d.benefit_text)`;
/** Values that earlier releases did not store, because donations did not have them. */
const NO_BENEFIT = `'{"benefitValue":null,"benefitText":null}'::jsonb`;
/**
 * True if receipt `r` matches its donation. The first releases did not store the amount in receipts. These receipts also match,
 * because amounts could not change at that time.
 */
const IS_RIGHT = `(r.printed IS NULL OR CASE WHEN r.pack IS NULL
  THEN jsonb_build_object('amount', d.amount, 'donorAddress', d.donor_address) || r.printed = ${PRINTED}
  ELSE ${PRINTED_BY_PACK} || ${NO_BENEFIT} || (r.printed - 'message') = ${PRINTED_BY_PACK} END)`;

// Omits the receipt of a completed donation if the donor was corrected or the amount grew after it was issued, because this
// donation gets a new receipt. A refunded or cancelled donation gets no new receipt, so its last receipt stays unchanged.
const FROM_DONATIONS = `FROM donation d
  JOIN event e ON e.id = d.event_id
  LEFT JOIN receipt r ON r.donation_id = d.id AND r.replaced_at IS NULL AND (d.status <> 'COMPLETED' OR ${IS_RIGHT})`;

export const RECEIPT_BY_DONATION: Statement = {
  name: 'receipt_by_donation',
  text: `SELECT ${COLUMNS.join(', ')}, e.overrides, ${RECEIPT} ${FROM_DONATIONS} WHERE d.id = $1`,
};

export interface ReceiptsOfEvent {
  /** JSON: see `ReceiptBatch`. */
  readonly rows: string;
  readonly count: number;
  /** Id of the last donation. */
  readonly last: string | null;
  /** Ids of donations without a valid receipt. */
  readonly unnumbered: readonly string[];
}

/** $1: event; $2: after this id; $3: before this id; $4: limit; $5: true if acknowledgements are to become receipts of a pack */
export const RECEIPTS_OF_EVENT: Statement = {
  name: 'receipts_of_event',
  text: `
    SELECT coalesce(json_agg(batch ORDER BY id), '[]')::text AS rows, count(*)::int AS count, max(id::text) AS last,
           coalesce(array_agg(id::text ORDER BY id) FILTER (WHERE year IS NULL OR ($5 AND pack IS NULL)), '{}') AS unnumbered
    FROM (
      SELECT ${PRINTED_COLUMNS.join(', ')}, ${RECEIPT} ${FROM_DONATIONS}
      WHERE d.event_id = $1 AND d.status = 'COMPLETED' AND NOT d.is_past_donation AND d.id > $2 AND d.id < $3
      ORDER BY d.id
      LIMIT $4
    ) AS batch`,
};

// These statements issue receipts, in this order in one transaction. Donations are locked before the counter. So a transaction
// with the counter lock does not wait for another lock. ISSUE runs after the counter lock, so that it sees all numbers
// committed before.

/** Locks and returns the donations that can have a receipt, in number order. `series` is the one of a rehearsal. */
export const LOCK_DONATIONS: Statement = {
  name: 'receipt_lock_donations',
  text: `SELECT id, (SELECT series FROM rehearsal WHERE rehearsal.event_id = donation.event_id) AS series
    FROM donation WHERE id = ANY($1::uuid[]) AND status = 'COMPLETED' AND NOT is_past_donation
    ORDER BY id FOR NO KEY UPDATE`,
};

/** $1: donations. Reads the facts that a pack prints. */
export const FACTS_OF_DONATIONS: Statement = {
  name: 'receipt_facts',
  text: `SELECT ${COLUMNS.join(', ')} FROM donation d WHERE d.id = ANY($1::uuid[]) ORDER BY d.id`,
};

const withoutPack = (name: string, of: string): Statement => ({
  name,
  text: `SELECT ${COLUMNS.join(', ')}, encode(d.donor_key, 'hex') AS donor_key FROM donation d
    WHERE ${of} AND d.status = 'COMPLETED' AND NOT d.is_past_donation AND d.id > $2
      AND NOT EXISTS (
        SELECT 1 FROM receipt r WHERE r.donation_id = d.id AND r.replaced_at IS NULL AND r.pack IS NOT NULL AND ${IS_RIGHT})
      AND NOT EXISTS (SELECT 1 FROM confirmed_gift c WHERE c.donation_id = d.id AND c.is_collective)
    ORDER BY d.id LIMIT $3`,
});

/** $1: event; $2: after this id; $3: limit. Reads the completed donations that have no receipt of a pack. */
export const WITHOUT_PACK = withoutPack('receipt_without_pack', 'd.event_id = $1');
/** $1: donor key; $2: after this id; $3: limit. The same for a donor at all events. */
export const WITHOUT_PACK_OF_DONOR = withoutPack(
  'receipt_without_pack_of_donor',
  `d.donor_key = $1 AND ${notRehearsal('d.event_id')}`,
);

/**
 * $1: donations; $2: those that get a receipt of a pack. Makes receipts void if the donor was corrected or the amount grew after
 * they were issued, and acknowledgements that a receipt of a pack replaces.
 */
export const VOID_OUTDATED: Statement = {
  name: 'receipt_void_outdated',
  text: `WITH voided AS (
      UPDATE receipt r SET replaced_at = now() FROM donation d
      WHERE d.id = ANY($1::uuid[]) AND r.donation_id = d.id AND r.replaced_at IS NULL
        AND (NOT ${IS_RIGHT} OR (r.pack IS NULL AND d.id = ANY($2::uuid[])))
      RETURNING r.donation_id, coalesce(d.receipt_number, 'R-' || lpad(r.number::text, 6, '0')) AS number
    ), freed AS (
      DELETE FROM confirmed_gift c USING voided WHERE c.donation_id = voided.donation_id AND NOT c.is_collective
    )
    SELECT donation_id, number FROM voided`,
};

/** $1: donations. Those that a valid collective receipt confirms. */
export const IN_COLLECTIVE: Statement = {
  name: 'receipt_in_collective',
  text: `SELECT donation_id, year, number FROM confirmed_gift WHERE donation_id = ANY($1::uuid[]) AND is_collective`,
};

/** Locks the counter of the year until the commit and returns the last number. */
export const LOCK_COUNTER: Statement = {
  name: 'receipt_lock_counter',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, 0)
    ON CONFLICT (year) DO UPDATE SET last_number = counter.last_number RETURNING last_number`,
};

/**
 * Issues the missing receipts and returns the valid receipts of all the donations.
 * $1: year; $2: last number; $3: donations in number order; $4: donations whose receipt was voided; $5: numbers of those
 * receipts; $6: a new check code for each donation; $7: donations that get a receipt of a pack; $8: pack; $9: its version;
 * $10: the facts of each of these donations
 */
export const ISSUE: Statement = {
  name: 'receipt_issue',
  text: `
    WITH wanted AS (
      SELECT id, check_code, position
      FROM unnest($3::uuid[], $6::text[]) WITH ORDINALITY AS donation (id, check_code, position)
    ), before AS (
      SELECT ${ISSUED} FROM receipt WHERE donation_id IN (SELECT id FROM wanted) AND replaced_at IS NULL
    ), fresh AS (
      SELECT id, check_code, $2::int + row_number() OVER (ORDER BY position) AS number
      FROM wanted WHERE id NOT IN (SELECT donation_id FROM before)
    ), issued AS (
      INSERT INTO receipt (${ISSUED})
      SELECT d.id, $1, fresh.number, now(), CASE WHEN packed.id IS NULL THEN ${PRINTED} ELSE ${PRINTED_BY_PACK} END,
        replaced.number, d.method, d.wallet, fresh.check_code,
        CASE WHEN packed.id IS NOT NULL THEN $8::text END, CASE WHEN packed.id IS NOT NULL THEN $9::text END, packed.facts
      FROM fresh JOIN donation d ON d.id = fresh.id
      LEFT JOIN unnest($4::uuid[], $5::text[]) AS replaced (id, number) ON replaced.id = fresh.id
      LEFT JOIN unnest($7::uuid[], $10::jsonb[]) AS packed (id, facts) ON packed.id = fresh.id
      RETURNING ${ISSUED}
    ), confirmed AS (
      INSERT INTO confirmed_gift (donation_id, year, number, is_collective)
      SELECT donation_id, year, number, false FROM issued WHERE pack IS NOT NULL
    ), counted AS (
      UPDATE receipt_counter SET last_number = last_number + (SELECT count(*) FROM issued) WHERE year = $1
    )
    SELECT ${ISSUED}, false AS copy FROM issued
    UNION ALL
    SELECT ${ISSUED}, true AS copy FROM before`,
};

// Collective receipts.

export interface CollectiveRow {
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
  readonly pack_version: string;
  readonly facts: AnnualFacts | null;
  readonly replaces: string | null;
  readonly check_code: string | null;
  /** True if a gift was corrected, refunded or cancelled since the issue. */
  readonly is_outdated: boolean;
}

/** The part of the gifts of collective receipt `c` that is left, in minor units. */
export const LEFT_IN_COLLECTIVE = `(SELECT coalesce(sum(greatest(left_d.amount - left_d.refunded_amount - coalesce(left_d.benefit_value, 0), 0)), 0)::bigint
  FROM collective_gift left_g JOIN donation left_d ON left_d.id = left_g.donation_id
  WHERE left_g.year = c.year AND left_g.number = c.number AND left_d.status = 'COMPLETED')`;

/** Values of a donation of which a gift is left. */
const IS_OUTDATED = `EXISTS (SELECT 1 FROM collective_gift g JOIN donation d ON d.id = g.donation_id
  WHERE g.year = c.year AND g.number = c.number
    AND (d.status <> 'COMPLETED' OR g.printed IS DISTINCT FROM ${PRINTED_BY_PACK}))`;

/** $1: donations; $2: first day; $3: last day. The valid collective receipts of these donations and days. */
export const COLLECTIVES: Statement = {
  name: 'collective_receipts_of',
  text: `SELECT c.year, c.number, c.issued_at, c.pack_version, c.facts, c.replaces, c.check_code, ${IS_OUTDATED} AS is_outdated
    FROM collective_receipt c
    WHERE c.replaced_at IS NULL AND c.from_day = $2::date AND c.to_day = $3::date AND EXISTS (
      SELECT 1 FROM collective_gift g WHERE g.year = c.year AND g.number = c.number AND g.donation_id = ANY($1::uuid[]))
    ORDER BY c.year DESC, c.number DESC`,
};

export interface ConfirmedRow {
  readonly donation_id: string;
  readonly year: number;
  readonly number: number;
  readonly is_collective: boolean;
}

/** $1: donations */
export const CONFIRMED: Statement = {
  name: 'collective_confirmed',
  text: `SELECT donation_id, year, number, is_collective FROM confirmed_gift WHERE donation_id = ANY($1::uuid[])
    ORDER BY year, number, donation_id`,
};

/** $1: years and $2: numbers of collective receipts; $3: donations whose single receipts become void */
export const VOID_CONFIRMED: Statement = {
  name: 'collective_void_confirmed',
  text: `WITH collectives AS (
      UPDATE collective_receipt c SET replaced_at = now() FROM unnest($1::int[], $2::int[]) AS old (year, number)
      WHERE c.year = old.year AND c.number = old.number AND c.replaced_at IS NULL
    ), singles AS (
      UPDATE receipt SET replaced_at = now()
      WHERE donation_id = ANY($3::uuid[]) AND pack IS NOT NULL AND replaced_at IS NULL
    )
    DELETE FROM confirmed_gift c
    WHERE c.donation_id = ANY($3::uuid[])
      OR (c.is_collective AND (c.year, c.number) IN (SELECT year, number FROM unnest($1::int[], $2::int[]) AS old (year, number)))`,
};

/**
 * $1: year; $2: number; $3: first day; $4: last day; $5: pack; $6: version; $7: facts; $8: the number that it replaces; $9: donations;
 * $10: check code; $11: total; $12: currency
 */
export const ISSUE_COLLECTIVE: Statement = {
  name: 'collective_issue',
  text: `WITH issued AS (
      INSERT INTO collective_receipt (year, number, from_day, to_day, issued_at, pack, pack_version, facts, replaces, check_code,
        total, currency)
      VALUES ($1, $2, $3::date, $4::date, now(), $5, $6, $7::jsonb, $8, $10, $11::bigint, $12)
      RETURNING issued_at
    ), gifts AS (
      INSERT INTO collective_gift (year, number, donation_id, printed)
      SELECT $1, $2, d.id, ${PRINTED_BY_PACK} FROM donation d WHERE d.id = ANY($9::uuid[])
    ), confirmed AS (
      INSERT INTO confirmed_gift (donation_id, year, number, is_collective)
      SELECT id, $1, $2, true FROM unnest($9::uuid[]) AS id
    ), counted AS (
      UPDATE receipt_counter SET last_number = $2 WHERE year = $1
    )
    SELECT issued_at FROM issued`,
};

export interface FrenchReceiptsRow {
  readonly receipts: number;
  readonly amount: bigint;
  readonly refunded: bigint;
  readonly benefit: bigint;
}

/**
 * The valid French receipts of a period, with the amounts that count now.
 * $1: first day; $2: last day; $3: time zone; $4: `issued` or `received` in the period
 *
 * A receipt is issued after its donation was received, so receipts of earlier years are not read. The read begins one year earlier
 * and ends one year later, because an event can have another time zone.
 */
export const FRENCH_RECEIPTS: Statement = {
  name: 'receipt_french_declaration',
  text: `SELECT count(*)::int AS receipts, coalesce(sum(donation.amount), 0)::bigint AS amount,
      coalesce(sum(donation.refunded_amount), 0)::bigint AS refunded, coalesce(sum(donation.benefit_value), 0)::bigint AS benefit
    FROM receipt r JOIN donation ON donation.id = r.donation_id
    WHERE r.pack = 'fr' AND r.replaced_at IS NULL AND donation.status = 'COMPLETED'
      AND r.year BETWEEN extract(year FROM $1::date)::int - 1 AND extract(year FROM now())::int + 1
      AND (CASE WHEN $4 = 'issued' THEN r.issued_at ELSE ${GIVEN_AT} END AT TIME ZONE $3)::date BETWEEN $1::date AND $2::date`,
};

/** A receipt with the columns of its public check. */
export interface CheckedRow extends Pick<
  DonationRow,
  | 'amount'
  | 'refunded_amount'
  | 'currency'
  | 'type'
  | 'status'
  | 'created_at'
  | 'completed_at'
  | 'recorded_at'
  | 'paid_at'
> {
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
  readonly replaced_at: Date | null;
  /** Null in receipts of the first releases, whose amounts could not change. */
  readonly printed_amount: bigint | null;
  /** Time when the donation got its current status; null if the history does not contain it. */
  readonly status_since: Date | null;
  /** The event's overrides of the settings, as stored. */
  readonly overrides: unknown;
}

/** $1: check code. Returns what the public check of a receipt shows: nothing about the person. */
export const RECEIPT_BY_CHECK_CODE: Statement = {
  name: 'receipt_by_check_code',
  text: `
    SELECT r.year, r.number, r.issued_at, r.replaced_at, (r.printed ->> 'amount')::bigint AS printed_amount, d.amount,
           d.refunded_amount, d.currency, d.type, d.status, d.created_at, d.completed_at, d.recorded_at, d.paid_at, e.overrides,
           (SELECT max(h.created_at) FROM donation_history h
            WHERE h.donation_id = d.id AND h.to_status = d.status AND h.from_status IS DISTINCT FROM h.to_status) AS status_since
    FROM receipt r
    JOIN donation d ON d.id = r.donation_id
    JOIN event e ON e.id = d.event_id
    WHERE r.check_code = $1`,
};

/** A collective receipt with the columns of its public check. */
export interface CheckedCollectiveRow {
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
  readonly replaced_at: Date | null;
  /** `YYYY-MM-DD` */
  readonly from_day: string;
  readonly to_day: string;
  readonly total: bigint;
  readonly currency: string;
  /** The part of the gifts that is left. */
  readonly remaining: bigint;
  /** Time when the last gift ended; null if the history does not contain it. */
  readonly ended_at: Date | null;
  readonly was_refunded: boolean;
}

/** $1: check code. Returns what the public check of a collective receipt shows: nothing about the person. */
export const COLLECTIVE_BY_CHECK_CODE: Statement = {
  name: 'collective_by_check_code',
  text: `
    SELECT c.year, c.number, c.issued_at, c.replaced_at, c.from_day::text, c.to_day::text, c.total, c.currency,
           ${LEFT_IN_COLLECTIVE} AS remaining,
           (SELECT max(h.created_at) FROM collective_gift g JOIN donation d ON d.id = g.donation_id
            JOIN donation_history h ON h.donation_id = d.id AND h.to_status = d.status AND h.from_status IS DISTINCT FROM h.to_status
            WHERE g.year = c.year AND g.number = c.number AND d.status <> 'COMPLETED') AS ended_at,
           EXISTS (SELECT 1 FROM collective_gift g JOIN donation d ON d.id = g.donation_id
            WHERE g.year = c.year AND g.number = c.number AND d.status = 'REFUNDED') AS was_refunded
    FROM collective_receipt c
    WHERE c.check_code = $1`,
};

/** $1: year. Locks the counter until the commit and returns the last issued number. */
export const LAST_NUMBER: Statement = {
  name: 'receipt_counter_last',
  text: 'SELECT last_number FROM receipt_counter WHERE year = $1 FOR UPDATE',
};

/** $1: year; $2: number. The counter never decreases, because two receipts with the same number cannot be repaired. */
export const RESUME_AFTER: Statement = {
  name: 'receipt_counter_resume',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, $2)
    ON CONFLICT (year) DO UPDATE SET last_number = greatest(counter.last_number, excluded.last_number)
    RETURNING last_number`,
};
