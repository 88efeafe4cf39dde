import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Statement } from '../../data/database.js';
import { GIVEN_AT } from '../../donations/list/donation-filters.sql.js';

/** Statements of the donor's own page. Links and sessions use the database clock, and an erasure deletes them. */

/** $1: donor key. The e-mail address that the donor gave last; no row for an unknown or erased donor. */
export const ADDRESS_OF_DONOR: Statement = {
  name: 'own_page_address',
  text: `SELECT donor_email AS email FROM donation WHERE donor_key = $1 AND donor_email IS NOT NULL AND ${notRehearsal('event_id')}
    ORDER BY id DESC LIMIT 1`,
};

/** $1: digest of the token; $2: donor key */
export const ADD_LINK: Statement = {
  name: 'own_page_add_link',
  text: `INSERT INTO donor_link (token_digest, donor_key, expires_at) VALUES ($1, $2, now() + interval '20 minutes')
    RETURNING expires_at`,
};

/** $1: digest of the token; $2: donor key; $3: end of the link */
export const ADD_LONG_LINK: Statement = {
  name: 'own_page_add_long_link',
  text: 'INSERT INTO donor_link (token_digest, donor_key, expires_at) VALUES ($1, $2, $3)',
};

/** $1: digest of the token */
export const GOOD_LINK: Statement = {
  name: 'own_page_good_link',
  text: 'SELECT 1 AS one FROM donor_link WHERE token_digest = $1 AND used_at IS NULL AND expires_at > now()',
};

/** Returns the donor key once. $1: digest of the token */
export const USE_LINK: Statement = {
  name: 'own_page_use_link',
  text: `UPDATE donor_link SET used_at = now() WHERE token_digest = $1 AND used_at IS NULL AND expires_at > now()
    RETURNING donor_key`,
};

/** $1: digest of the token; $2: donor key */
export const ADD_SESSION: Statement = {
  name: 'own_page_add_session',
  text: 'INSERT INTO donor_session (token_digest, donor_key) VALUES ($1, $2)',
};

const ALIVE = `used_at > now() - interval '30 minutes' AND created_at > now() - interval '8 hours'`;

/** Returns the donor key of a session and the donor's address, and starts its 30 minutes again. $1: digest of the token */
export const USE_SESSION: Statement = {
  name: 'own_page_use_session',
  text: `UPDATE donor_session SET used_at = now() FROM (
      SELECT session.token_digest, known.donor_email FROM donor_session session CROSS JOIN LATERAL (
        SELECT donor_email FROM donation WHERE donation.donor_key = session.donor_key AND donor_email IS NOT NULL AND ${notRehearsal('event_id')}
        ORDER BY id DESC LIMIT 1) AS known
      WHERE session.token_digest = $1 AND ${ALIVE}) AS alive
    WHERE donor_session.token_digest = alive.token_digest RETURNING donor_session.donor_key, alive.donor_email AS email`,
};

/** $1: digest of the token */
export const END_SESSION: Statement = {
  name: 'own_page_end_session',
  text: 'DELETE FROM donor_session WHERE token_digest = $1',
};

/** $1: donor key */
export const ERASE_ACCESS: readonly Statement[] = [
  { name: 'own_page_erase_links', text: 'DELETE FROM donor_link WHERE donor_key = $1' },
  { name: 'own_page_erase_sessions', text: 'DELETE FROM donor_session WHERE donor_key = $1' },
];

export const PRUNE_ACCESS: readonly Statement[] = [
  { name: 'own_page_prune_links', text: 'DELETE FROM donor_link WHERE expires_at < now()' },
  { name: 'own_page_prune_sessions', text: `DELETE FROM donor_session WHERE NOT (${ALIVE})` },
];

/** $1: donor key; $2: time zone. Years in which the donor gave something, newest first. */
export const YEARS_OF_DONOR: Statement = {
  name: 'own_page_years',
  text: `SELECT DISTINCT extract(year FROM (${GIVEN_AT}) AT TIME ZONE $2)::int AS year FROM donation
    WHERE donor_key = $1 AND status = 'COMPLETED' AND ${notRehearsal('event_id')} ORDER BY year DESC`,
};

/** $1: donor key */
export const NEWEST_ADDRESS: Statement = {
  name: 'own_page_newest_address',
  text: `SELECT donor_address, address FROM donation WHERE donor_key = $1 AND donor_address IS NOT NULL AND ${notRehearsal('event_id')}
    ORDER BY id DESC LIMIT 1`,
};

/**
 * Donations with another address than $2, except those whose valid receipt prints an address or is for the tax office.
 * $1: donor key; $3: limit
 */
export const WITHOUT_PRINTED_ADDRESS: Statement = {
  name: 'own_page_without_printed_address',
  text: `SELECT d.id FROM donation d
    WHERE d.donor_key = $1 AND d.status IN ('PENDING', 'COMPLETED') AND d.donor_address IS DISTINCT FROM $2
      AND ${notRehearsal('d.event_id')}
      AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.donation_id = d.id AND r.replaced_at IS NULL
        AND (r.pack IS NOT NULL OR d.donor_address IS NOT NULL))
    ORDER BY d.id LIMIT $3`,
};

/** $1: subject. The open request for an erasure. */
export const ERASURE_REQUEST: Statement = {
  name: 'own_page_erasure_request',
  text: `SELECT created_at FROM review_item
    WHERE kind = 'erasure_requested' AND subject = $1 AND resolved_at IS NULL`,
};

/** $1: donor key. Locks the first donation of the donor, so that two requests at the same time run one after the other. */
export const LOCK_DONOR: Statement = {
  name: 'own_page_lock_donor',
  text: 'SELECT id FROM donation WHERE donor_key = $1 ORDER BY id LIMIT 1 FOR NO KEY UPDATE',
};

/** $1: check code. The donation of a valid receipt, if no donor is known by an e-mail address. */
export const UNCLAIMED_BY_CODE: Statement = {
  name: 'own_page_unclaimed_by_code',
  text: `SELECT d.id FROM receipt r JOIN donation d ON d.id = r.donation_id
    WHERE r.check_code = $1 AND r.replaced_at IS NULL AND d.donor_key IS NULL AND d.status = 'COMPLETED'`,
};
