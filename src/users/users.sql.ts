import type { AdminRole } from '../common/access/principal.js';
import { ADMINS_LOCK } from '../data/advisory-locks.js';
import type { Statement } from '../data/database.js';

export interface UserRow {
  id: string;
  email: string;
  name: string | null;
  role: AdminRole;
  has_password: boolean;
  has_second_factor: boolean;
  idp_issuer: string | null;
  disabled_at: Date | null;
  created_at: Date;
  last_sign_in_at: Date | null;
  invitation_expires_at: Date | null;
}

const COLUMNS = `a.id, a.email, a.name, a.role, a.password_hash IS NOT NULL AS has_password,
  a.totp_confirmed_at IS NOT NULL AS has_second_factor, a.idp_issuer, a.disabled_at, a.created_at, a.last_sign_in_at,
  (SELECT max(i.expires_at) FROM admin_invitation i WHERE i.admin_id = a.id AND i.accepted_at IS NULL)
    AS invitation_expires_at`;

export const ALL_USERS: Statement = {
  name: 'users_all',
  text: `SELECT ${COLUMNS} FROM admin a ORDER BY a.email`,
};

/** $1 id. */
export const USER: Statement = { name: 'user_by_id', text: `SELECT ${COLUMNS} FROM admin a WHERE a.id = $1` };

/** $1 id, under lock until the commit. */
export const LOCK_USER: Statement = {
  name: 'user_lock',
  text: `SELECT ${COLUMNS} FROM admin a WHERE a.id = $1 FOR UPDATE OF a`,
};

/** A statement of its own, so that what comes after it sees what the holder before committed. */
export const LOCK_ADMINS: Statement = {
  name: 'admins_lock',
  text: `SELECT pg_advisory_xact_lock(${ADMINS_LOCK})`,
};

/** $1 whether passwords are accepted, $2 the issuer of the identity provider or null. Admins who can sign in. */
export const COUNT_ADMINS: Statement = {
  name: 'admins_count',
  text: `SELECT count(*)::int AS admins FROM admin
         WHERE role = 'ADMIN' AND disabled_at IS NULL
           AND (($1 AND password_hash IS NOT NULL) OR rtrim(idp_issuer, '/') = rtrim($2::text, '/'))`,
};

/** $1 id, $2 email, $3 name, $4 role. No row where the address is taken. */
export const INSERT_USER: Statement = {
  name: 'user_insert',
  text: `INSERT INTO admin (id, email, name, role) VALUES ($1, $2, $3, $4::admin_role)
         ON CONFLICT (email) DO NOTHING RETURNING id`,
};

/** $1 id, $2 name, $3 role, $4 disabled. */
export const UPDATE_USER: Statement = {
  name: 'user_update',
  text: `UPDATE admin SET name = $2, role = $3::admin_role, updated_at = now(),
           disabled_at = CASE WHEN $4 THEN coalesce(disabled_at, now()) END
         WHERE id = $1`,
};

/** $1 id. Sessions, invitations and codes go with it. */
export const DELETE_USER: Statement = { name: 'user_delete', text: 'DELETE FROM admin WHERE id = $1' };

/** $1 id. */
export const UNBIND_IDENTITY: Statement = {
  name: 'user_unbind_identity',
  text: 'UPDATE admin SET idp_issuer = NULL, idp_subject = NULL, updated_at = now() WHERE id = $1',
};

/** $1 id, $2 hash. */
export const SET_PASSWORD: Statement = {
  name: 'user_set_password',
  text: 'UPDATE admin SET password_hash = $2, updated_at = now() WHERE id = $1',
};

/** $1 digest, $2 id, $3 expires at. */
export const INSERT_INVITATION: Statement = {
  name: 'invitation_insert',
  text: 'INSERT INTO admin_invitation (token_digest, admin_id, expires_at) VALUES ($1, $2, $3)',
};

export interface InvitationRow {
  id: string;
  email: string;
  role: AdminRole;
  name: string | null;
}

const GOOD = `i.token_digest = $1 AND i.accepted_at IS NULL AND i.expires_at > now()
  AND a.id = i.admin_id AND a.disabled_at IS NULL`;

/** $1 digest. */
export const FIND_INVITATION: Statement = {
  name: 'invitation_find',
  text: `SELECT a.id, a.email, a.role, a.name FROM admin_invitation i, admin a WHERE ${GOOD}`,
};

/** $1 digest. Of two requests at once, one gets the row. */
export const ACCEPT_INVITATION: Statement = {
  name: 'invitation_accept',
  text: `UPDATE admin_invitation i SET accepted_at = now() FROM admin a WHERE ${GOOD}
         RETURNING a.id, a.email, a.role, a.name`,
};
