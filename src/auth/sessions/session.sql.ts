import type { Statement } from '../../data/database.js';

export interface AdminSessionRow {
  email: string;
  role: string;
  session_version: number;
  revoked: boolean;
}

/** $1 admin, $2 session. */
export const ADMIN_SESSION: Statement = {
  name: 'session_admin',
  text: `SELECT a.email, a.role, a.session_version,
                EXISTS (SELECT 1 FROM session_revocation r WHERE r.id = $2) AS revoked
         FROM admin a WHERE a.id = $1`,
};

export interface StaffSessionRow {
  name: string;
  session_version: number;
  assigned_at: Date;
  revoked: boolean;
}

/** $1 staff member, $2 session, $3 event. No row once the member is removed or not assigned any more. */
export const STAFF_SESSION: Statement = {
  name: 'session_staff',
  text: `SELECT m.name, m.session_version, a.created_at AS assigned_at,
                EXISTS (SELECT 1 FROM session_revocation r WHERE r.id = $2) AS revoked
         FROM staff_member m JOIN event_staff a ON a.staff_id = m.id AND a.event_id = $3
         WHERE m.id = $1 AND m.deleted_at IS NULL`,
};

/** $1 session, $2 a time when all its access tokens have expired. */
export const REVOKE_SESSION: Statement = {
  name: 'session_revoke',
  text: 'INSERT INTO session_revocation (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
};
