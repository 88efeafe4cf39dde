import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { PostalAddress } from '../common/text/postal-address.js';
import type { Statement } from '../data/database.js';
import { GIVEN_AT } from '../donations/list/donation-filters.sql.js';
import { COVERING } from './covering.sql.js';
import type { GiftAidScope } from './declaration-texts.js';

/** SQL statements on Gift Aid declarations. */

export interface DeclarationRow {
  readonly id: string;
  readonly donation_id: string;
  readonly scope: GiftAidScope;
  readonly channel: 'online' | 'written';
  readonly language: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly address: PostalAddress;
  readonly declared_at: Date;
  readonly cancelled_at: Date | null;
  readonly cancel_reason: string | null;
  readonly sealed_at: Date | null;
  /** `YYYY-MM-DD` */
  readonly keep_until: string | null;
  readonly version: string;
  readonly text: string;
}

const COLUMNS = `g.id, g.donation_id, g.scope, g.channel, g.language, g.first_name, g.last_name, g.address, g.declared_at,
  g.cancelled_at, g.cancel_reason, g.sealed_at, g.keep_until::text, t.version, t.text`;
const WITH_TEXT = 'gift_aid_declaration g JOIN gift_aid_text t ON t.digest = g.text_digest';

/** $1: digest; $2: version; $3: scope; $4: text */
export const KEEP_TEXT: Statement = {
  name: 'gift_aid_keep_text',
  text: 'INSERT INTO gift_aid_text (digest, version, scope, text) VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING',
};

/** Stores no second declaration of the same donation. Returns the id of a new declaration. */
export const DECLARE: Statement = {
  name: 'gift_aid_declare',
  text: `INSERT INTO gift_aid_declaration (id, donation_id, donor_key, text_digest, scope, channel, language, first_name, last_name,
      address, declared_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (donation_id) DO NOTHING RETURNING id`,
};

/** The declaration that covers a donation. Without one, its own cancelled declaration. Sealed ones are not shown. $1: donation */
export const OF_DONATION: Statement = {
  name: 'gift_aid_of_donation',
  text: `SELECT ${COLUMNS}, coalesce(g.id = covering.declaration_id, false) AS covers
    FROM donation LEFT JOIN ${COVERING} ON true
    JOIN gift_aid_declaration g ON g.id = covering.declaration_id
      OR (covering.declaration_id IS NULL AND g.donation_id = donation.id)
    JOIN gift_aid_text t ON t.digest = g.text_digest
    WHERE donation.id = $1 AND g.sealed_at IS NULL`,
};

/** The declarations of a donor, newest first. Sealed ones are not shown. $1: donor key */
export const OF_DONOR: Statement = {
  name: 'gift_aid_of_donor',
  text: `SELECT ${COLUMNS} FROM ${WITH_TEXT} JOIN donation d ON d.id = g.donation_id
    WHERE d.donor_key = $1 AND g.sealed_at IS NULL AND ${notRehearsal('d.event_id')} ORDER BY g.declared_at DESC, g.id`,
};

export const LOCK_DECLARATION: Statement = {
  name: 'gift_aid_lock',
  text: `SELECT ${COLUMNS} FROM ${WITH_TEXT} WHERE g.id = $1 AND g.sealed_at IS NULL FOR UPDATE OF g`,
};

/** $1: declaration; $2: reason */
export const CANCEL: Statement = {
  name: 'gift_aid_cancel',
  text: `UPDATE gift_aid_declaration SET cancelled_at = now(), cancel_reason = $2
    WHERE id = $1 AND cancelled_at IS NULL AND sealed_at IS NULL`,
};

/**
 * The open declarations that were made with these donations, each with the last donation that it covers and that is paid or was
 * claimed.
 * $1: donations; $2: donor key, or null
 */
export const TO_SEAL: Statement = {
  name: 'gift_aid_to_seal',
  text: `SELECT g.id, last.given_at FROM gift_aid_declaration g
    LEFT JOIN LATERAL (SELECT max(kept.given_at) AS given_at FROM (
      SELECT coalesce(${GIVEN_AT}, donation.created_at) AS given_at FROM donation CROSS JOIN ${COVERING}
      WHERE covering.declaration_id = g.id AND ${notRehearsal('donation.event_id')} AND donation.status = 'COMPLETED' AND donation.amount > donation.refunded_amount
        AND (donation.id = g.donation_id OR donation.donor_key = $2)
      UNION ALL
      SELECT coalesce(${GIVEN_AT}, donation.created_at) FROM gift_aid_claim_donation claimed
        JOIN donation ON donation.id = claimed.donation_id WHERE claimed.declaration_id = g.id) AS kept) AS last ON true
    WHERE g.donation_id = ANY($1::uuid[]) AND g.sealed_at IS NULL`,
};

export interface ToSealRow {
  readonly id: string;
  readonly given_at: Date | null;
}

/** $1: declaration; $2: last day */
export const SEAL: Statement = {
  name: 'gift_aid_seal',
  text: `UPDATE gift_aid_declaration SET sealed_at = now(), keep_until = $2, cancel_reason = NULL
    WHERE id = $1 AND sealed_at IS NULL`,
};

export const DELETE_DECLARATION: Statement = {
  name: 'gift_aid_delete',
  text: 'DELETE FROM gift_aid_declaration WHERE id = $1',
};

/** $1: donor keys; $2: donations without a key. The sealed declarations of a person. */
export const SEALED_OF_PERSON: Statement = {
  name: 'gift_aid_sealed_of_person',
  text: `SELECT count(*)::int AS declarations, max(g.keep_until)::text AS until
    FROM gift_aid_declaration g JOIN donation d ON d.id = g.donation_id
    WHERE (d.donor_key = ANY($1::bytea[]) OR (d.donor_key IS NULL AND d.id = ANY($2::uuid[]))) AND g.sealed_at IS NOT NULL`,
};

/** The donations of a person that have a declaration. $1: donor keys; $2: donations without a key */
export const DECLARED_BY_PERSON: Statement = {
  name: 'gift_aid_declared_by_person',
  text: `SELECT d.id FROM gift_aid_declaration g JOIN donation d ON d.id = g.donation_id
    WHERE (d.donor_key = ANY($1::bytea[]) OR (d.donor_key IS NULL AND d.id = ANY($2::uuid[]))) AND g.sealed_at IS NULL
      AND ${notRehearsal('d.event_id')}`,
};

/** Deletes sealed declarations after their last day. $1: maximum number of rows */
export const DELETE_OLD: Statement = {
  name: 'gift_aid_delete_old',
  text: `DELETE FROM gift_aid_declaration WHERE id IN (
      SELECT id FROM gift_aid_declaration WHERE keep_until < current_date ORDER BY keep_until LIMIT $1)
    RETURNING id, donation_id`,
};

export interface ClaimableRow extends DeclarationRow {
  readonly given_at: Date;
  readonly amount: bigint;
  readonly currency: string;
  readonly event_name: string;
  readonly benefit_value: bigint | null;
  readonly benefit_text: string | null;
  readonly covered_id: string;
}

/**
 * Paid donations that a declaration covers, oldest id first, also of erased donors.
 * $1: donations after this id; $2: limit; $3: given from; $4: given before
 */
export const CLAIMABLE: Statement = {
  name: 'gift_aid_claimable',
  text: `SELECT ${COLUMNS}, donation.id AS covered_id, coalesce(${GIVEN_AT}, donation.created_at) AS given_at,
      donation.amount - donation.refunded_amount AS amount, donation.currency, donation.benefit_value, donation.benefit_text,
      e.name AS event_name
    FROM donation CROSS JOIN ${COVERING}
    JOIN gift_aid_declaration g ON g.id = covering.declaration_id
    JOIN gift_aid_text t ON t.digest = g.text_digest
    JOIN event e ON e.id = donation.event_id
    WHERE donation.id IN (SELECT donation_id FROM gift_aid_declaration
        UNION ALL SELECT d.id FROM donation d JOIN gift_aid_declaration w
          ON w.donor_key = d.donor_key AND w.scope = 'past_and_future')
      AND donation.id > $1 AND ${notRehearsal('donation.event_id')} AND donation.status = 'COMPLETED' AND donation.amount > donation.refunded_amount
      AND coalesce(${GIVEN_AT}, donation.created_at) >= coalesce($3, '-infinity'::timestamptz)
      AND coalesce(${GIVEN_AT}, donation.created_at) < coalesce($4, 'infinity'::timestamptz)
    ORDER BY donation.id LIMIT $2`,
};
