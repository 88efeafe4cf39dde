import type { Statement } from '../../data/database.js';
import { KNOWN_ADMIN } from '../known-admin.js';

/**
 * $1 token digest. The lock on the admin's row makes all changes of the admin's tokens wait for each other: a family
 * cannot get a new token while it is being ended.
 */
export const LOCK_TOKEN_OWNER: Statement = {
  name: 'refresh_lock_owner',
  text: `SELECT ${KNOWN_ADMIN} FROM admin
         WHERE id = (SELECT admin_id FROM refresh_token WHERE token_digest = $1) FOR UPDATE`,
};

export interface TokenRow {
  id: string;
  admin_id: string;
  family_id: string;
  expires_at: Date;
  used_at: Date | null;
  revoked_at: Date | null;
  idp_second_factor: boolean;
  idp_confirmed_at: Date | null;
}

/** $1 token digest. */
export const GET_TOKEN: Statement = {
  name: 'refresh_get',
  text: `SELECT id, admin_id, family_id, expires_at, used_at, revoked_at, idp_second_factor,
           idp_confirmed_at FROM refresh_token WHERE token_digest = $1`,
};

/**
 * $1 id, $2 admin, $3 family, $4 digest, $5 expires at, $6 address, $7 client, $8 by a second factor at the identity
 * provider, $9 when the provider asked who it is. A successor that was made before stays as it is.
 */
export const INSERT_TOKEN: Statement = {
  name: 'refresh_insert',
  text: `INSERT INTO refresh_token
      (id, admin_id, family_id, token_digest, expires_at, address, client, idp_second_factor, idp_confirmed_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (token_digest) DO NOTHING`,
};

/** $1 admin, $2 version. No row when the account was disabled or its sessions were ended since who it is was checked. */
export const SIGNED_IN: Statement = {
  name: 'refresh_signed_in',
  text: `UPDATE admin SET last_sign_in_at = now() WHERE id = $1 AND session_version = $2 AND disabled_at IS NULL
         RETURNING id`,
};

/** $1 id. */
export const USE_TOKEN: Statement = {
  name: 'refresh_use',
  text: 'UPDATE refresh_token SET used_at = coalesce(used_at, now()) WHERE id = $1',
};

/** $1 family. */
export const END_FAMILY: Statement = {
  name: 'refresh_end_family',
  text: 'UPDATE refresh_token SET revoked_at = now() WHERE family_id = $1 AND revoked_at IS NULL',
};

/** $1 admin. */
export const LOCK_ADMIN: Statement = {
  name: 'refresh_lock_admin',
  text: 'SELECT 1 FROM admin WHERE id = $1 FOR UPDATE',
};
