import type { Statement } from '../../data/database.js';

export interface AdminSessionRow {
  email: string;
  session_version: number;
  ended: boolean;
}

/** $1 admin, $2 session. */
export const ADMIN_SESSION: Statement = {
  name: 'session_admin',
  text: `SELECT a.email, a.session_version, EXISTS (SELECT 1 FROM ended_session s WHERE s.id = $2) AS ended
         FROM admin a WHERE a.id = $1`,
};

export interface StaffSessionRow {
  name: string;
  session_version: number;
  assigned_at: Date;
  ended: boolean;
}

/** $1 staff member, $2 session, $3 event. No row once the member is removed or not assigned any more. */
export const STAFF_SESSION: Statement = {
  name: 'session_staff',
  text: `SELECT m.name, m.session_version, a.created_at AS assigned_at,
                EXISTS (SELECT 1 FROM ended_session s WHERE s.id = $2) AS ended
         FROM staff_member m JOIN event_staff a ON a.staff_id = m.id AND a.event_id = $3
         WHERE m.id = $1 AND m.deleted_at IS NULL`,
};

/** $1 session, $2 when its last access token has expired for certain. */
export const END_SESSION: Statement = {
  name: 'session_end',
  text: 'INSERT INTO ended_session (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
};
