import type { Statement } from '../../data/database.js';
import { KNOWN_ADMIN } from '../known-admin.js';

export interface OpenSessionRow {
  family_id: string;
  last_used_at: Date;
  address: string | null;
  client: string | null;
}

/** $1 admin. The sign-ins that can still be renewed, by their newest token; the last used first. */
export const OPEN_SESSIONS: Statement = {
  name: 'sessions_open',
  text: `SELECT family_id, last_used_at, address, client FROM (
           SELECT DISTINCT ON (family_id) family_id, created_at AS last_used_at, address, client
           FROM refresh_token
           WHERE admin_id = $1 AND revoked_at IS NULL AND expires_at > now() AND used_at IS NULL
           ORDER BY family_id, created_at DESC) AS newest
         ORDER BY last_used_at DESC, family_id`,
};

/** $1 admin, $2 session. */
export const HAS_SESSION: Statement = {
  name: 'sessions_has',
  text: `SELECT 1 FROM refresh_token
         WHERE admin_id = $1 AND family_id = $2 AND revoked_at IS NULL AND expires_at > now() LIMIT 1`,
};

/** $1 admin. Makes every access token worthless that was given so far. */
export const NEXT_VERSION: Statement = {
  name: 'sessions_next_version',
  text: `UPDATE admin SET session_version = session_version + 1, updated_at = now() WHERE id = $1
         RETURNING ${KNOWN_ADMIN}`,
};

/** $1 admin, $2 the session that goes on, or null. */
export const END_FAMILIES: Statement = {
  name: 'sessions_end_families',
  text: `UPDATE refresh_token SET revoked_at = now()
         WHERE admin_id = $1 AND revoked_at IS NULL AND ($2::uuid IS NULL OR family_id <> $2)
         RETURNING family_id`,
};

/** $1 admin. Sign-ins at the identity provider that were not finished. */
export const FORGET_SIGN_IN_CODES: Statement = {
  name: 'sessions_forget_codes',
  text: 'DELETE FROM sign_in_code WHERE admin_id = $1',
};

/** $1 admin, $2 session. */
export const IDP_SECOND_FACTOR: Statement = {
  name: 'sessions_idp_second_factor',
  text: `SELECT bool_or(idp_second_factor) AS shown FROM refresh_token WHERE admin_id = $1 AND family_id = $2`,
};
