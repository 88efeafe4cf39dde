import type { Statement } from '../data/database.js';

/** SQL for the account lock, for the session check of every guarded request, and for the clean-up in every process. */

/** $1 admin. Locks the account until the commit. */
export const LOCK_ADMIN: Statement = {
  name: 'admin_lock',
  text: 'SELECT 1 FROM admin WHERE id = $1::uuid FOR UPDATE',
};

/** True if this session was ended, or if all sessions were ended after its token was made. */
const revoked = (session: string, madeAt: string) =>
  `(EXISTS (SELECT 1 FROM session_revocation r WHERE r.id = ${session})
    OR EXISTS (SELECT 1 FROM session_epoch e WHERE e.ended_before > to_timestamp(${madeAt}::double precision)))`;

export interface AdminSessionRow {
  email: string;
  role: string;
  session_version: number;
  has_second_factor: boolean;
  revoked: boolean;
}

/** $1 admin, $2 session, $3 time the token was made, in seconds. */
export const ADMIN_SESSION: Statement = {
  name: 'session_admin',
  text: `SELECT a.email, a.role, a.session_version, a.totp_confirmed_at IS NOT NULL AS has_second_factor,
                (a.disabled_at IS NOT NULL OR ${revoked('$2', '$3')}) AS revoked
         FROM admin a WHERE a.id = $1`,
};

export interface StaffSessionRow {
  name: string;
  session_version: number;
  assigned_at: Date;
  revoked: boolean;
}

/**
 * $1 staff member, $2 session, $3 event, $4 time the token was made, in seconds, $5 terminal or null. Returns no row if the
 * member was removed or unassigned, or if the terminal was revoked.
 */
export const STAFF_SESSION: Statement = {
  name: 'session_staff',
  text: `SELECT m.name, m.session_version, a.created_at AS assigned_at,
                ${revoked('$2', '$4')} AS revoked
         FROM staff_member m JOIN event_staff a ON a.staff_id = m.id AND a.event_id = $3
         WHERE m.id = $1 AND m.deleted_at IS NULL
           AND ($5::uuid IS NULL OR EXISTS (SELECT 1 FROM terminal t WHERE t.id = $5::uuid AND t.revoked_at IS NULL))`,
};

/** Every process runs these statements once an hour. Raw SQL, so that a server without sign-ins never loads Prisma. */
export const PRUNE_EXPIRED: readonly Statement[] = [
  { name: 'prune_session_revocations', text: 'DELETE FROM session_revocation WHERE expires_at < now()' },
  { name: 'prune_terminal_codes', text: 'DELETE FROM terminal_code WHERE expires_at < now()' },
  { name: 'prune_sign_in_codes', text: 'DELETE FROM sign_in_code WHERE expires_at < now()' },
  // Used tokens stay for seven days after their expiry. So the service still recognizes a copied token that somebody uses late.
  {
    name: 'prune_refresh_tokens',
    text: "DELETE FROM refresh_token WHERE expires_at < now() - interval '7 days'",
  },
  // An expired invitation stays visible for 30 days.
  {
    name: 'prune_invitations',
    text: "DELETE FROM admin_invitation WHERE expires_at < now() - interval '30 days'",
  },
];
