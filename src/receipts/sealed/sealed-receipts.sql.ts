import type { Statement } from '../../data/database.js';
import type { DonationStatus } from '../../data/generated/enums.js';
import type { AnnualFacts, PackFacts } from '../packs/receipt-pack.js';
import { LEFT_IN_COLLECTIVE } from '../receipts.sql.js';

/** SQL statements on the sealed receipts of erased donors. */

/** The receipts of a pack with facts: of these donations, and collective ones with one of these donations. $1: donations */
const WITH_FACTS = `(
    SELECT r.year, r.number, false AS is_collective, r.pack, r.pack_version, r.facts, r.facts ->> 'issuedOn' AS issued_on
    FROM receipt r WHERE r.donation_id = ANY($1::uuid[]) AND r.pack IS NOT NULL AND r.facts IS NOT NULL
    UNION ALL
    SELECT c.year, c.number, true, c.pack, c.pack_version, c.facts, c.facts #>> '{gifts,0,issuedOn}'
    FROM collective_receipt c WHERE c.facts IS NOT NULL AND (c.year, c.number) IN (
      SELECT g.year, g.number FROM collective_gift g WHERE g.donation_id = ANY($1::uuid[]))
  ) AS printed`;

export interface ToSealRow {
  readonly year: number;
  readonly number: number;
  readonly is_collective: boolean;
  readonly pack: string;
  readonly pack_version: string;
  readonly facts: PackFacts | AnnualFacts;
  /** `YYYY-MM-DD` */
  readonly issued_on: string;
}

/** $1: donations */
export const RECEIPTS_TO_SEAL: Statement = {
  name: 'sealed_receipts_to_seal',
  text: `SELECT year, number, is_collective, pack, pack_version, facts, issued_on FROM ${WITH_FACTS} ORDER BY year, number`,
};

/** $1: id; $2: year; $3: number; $4: is collective; $5: pack; $6: version; $7: law; $8: encrypted facts; $9: last day */
export const SEAL_RECEIPT: Statement = {
  name: 'sealed_receipt_insert',
  text: `INSERT INTO sealed_receipt (id, year, number, is_collective, pack, pack_version, law, sealed, sealed_at, keep_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), $9::date) ON CONFLICT (year, number) DO NOTHING`,
};

const OF_PERSONS = '(d.donor_key = ANY($1::bytea[]) OR (d.donor_key IS NULL AND d.id = ANY($2::uuid[])))';

/** The receipts that an erasure of the person would seal. $1: donor keys; $2: donations without a key */
export const SEALABLE_OF_PERSON: Statement = {
  name: 'sealed_receipts_sealable',
  text: `SELECT r.pack_version, r.facts ->> 'issuedOn' AS issued_on FROM receipt r JOIN donation d ON d.id = r.donation_id
      WHERE ${OF_PERSONS} AND r.pack IS NOT NULL AND r.facts IS NOT NULL
    UNION ALL
    SELECT c.pack_version, c.facts #>> '{gifts,0,issuedOn}' FROM collective_receipt c
      WHERE c.facts IS NOT NULL AND (c.year, c.number) IN (
        SELECT g.year, g.number FROM collective_gift g JOIN donation d ON d.id = g.donation_id WHERE ${OF_PERSONS})`,
};

export interface KeptReceiptsRow {
  readonly pack: string;
  readonly law: string;
  readonly receipts: number;
  /** `YYYY-MM-DD` */
  readonly until: string;
}

/** The sealed receipts of a person. $1: donor keys; $2: donations without a key */
export const SEALED_RECEIPTS_OF_PERSON: Statement = {
  name: 'sealed_receipts_of_person',
  text: `SELECT s.pack, s.law, count(*)::int AS receipts, max(s.keep_until)::text AS until FROM sealed_receipt s
    WHERE (s.year, s.number) IN (
      SELECT r.year, r.number FROM receipt r JOIN donation d ON d.id = r.donation_id WHERE ${OF_PERSONS}
      UNION ALL
      SELECT g.year, g.number FROM collective_gift g JOIN donation d ON d.id = g.donation_id WHERE ${OF_PERSONS})
    GROUP BY s.pack, s.law ORDER BY s.pack, s.law`,
};

/** Deletes sealed receipts after their last day. $1: maximum number of rows */
export const DELETE_OLD_RECEIPTS: Statement = {
  name: 'sealed_receipts_delete_old',
  text: `DELETE FROM sealed_receipt WHERE id IN (
      SELECT id FROM sealed_receipt WHERE keep_until < current_date ORDER BY keep_until LIMIT $1)
    RETURNING year, number`,
};

/** A sealed receipt with the facts about its number that are stored outside of the seal. */
export interface SealedRow {
  readonly year: number;
  readonly number: number;
  readonly is_collective: boolean;
  readonly pack: string;
  readonly pack_version: string;
  readonly law: string;
  readonly sealed: Buffer;
  readonly sealed_at: Date;
  /** `YYYY-MM-DD` */
  readonly keep_until: string;
  readonly issued_at: Date;
  readonly replaces: string | null;
  readonly replaced_at: Date | null;
  readonly check_code: string | null;
  /** Of the donation; of a collective receipt, `COMPLETED` while a gift is left. */
  readonly status: DonationStatus;
  /** The event's overrides of the settings, as stored; null for a collective receipt. */
  readonly overrides: unknown;
}

const SEALED = `SELECT s.year, s.number, s.is_collective, s.pack, s.pack_version, s.law, s.sealed, s.sealed_at,
    s.keep_until::text, coalesce(r.issued_at, c.issued_at) AS issued_at, coalesce(r.replaces, c.replaces) AS replaces,
    coalesce(r.replaced_at, c.replaced_at) AS replaced_at, coalesce(r.check_code, c.check_code) AS check_code,
    CASE WHEN NOT s.is_collective THEN d.status::text WHEN ${LEFT_IN_COLLECTIVE} > 0 THEN 'COMPLETED' ELSE 'REFUNDED' END AS status, e.overrides
  FROM sealed_receipt s
  LEFT JOIN receipt r ON r.year = s.year AND r.number = s.number
  LEFT JOIN donation d ON d.id = r.donation_id
  LEFT JOIN event e ON e.id = d.event_id
  LEFT JOIN collective_receipt c ON c.year = s.year AND c.number = s.number`;

/** $1: year; $2: number */
export const SEALED_RECEIPT: Statement = {
  name: 'sealed_receipt_by_number',
  text: `${SEALED} WHERE s.year = $1 AND s.number = $2`,
};

/** The latest numbers first. $1, $2: before this year and number, or null; $3: limit */
export const SEALED_RECEIPTS: Statement = {
  name: 'sealed_receipts_page',
  text: `${SEALED} WHERE $1::int IS NULL OR (s.year, s.number) < ($1, $2::int)
    ORDER BY s.year DESC, s.number DESC LIMIT $3`,
};
