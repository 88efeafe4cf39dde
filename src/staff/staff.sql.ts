import type { Statement } from '../data/database.js';

export interface StaffRow {
  id: string;
  name: string;
  pin_sealed: Buffer;
  created_at: Date;
}

export interface AssignmentRow {
  event_id: string;
  staff_id: string;
  created_at: Date;
}

const COLUMNS = 'id, name, pin_sealed, created_at';

export const LIST_STAFF: Statement = {
  name: 'staff_list',
  text: `SELECT ${COLUMNS} FROM staff_member WHERE deleted_at IS NULL ORDER BY id`,
};

/** $1 member. */
export const GET_STAFF: Statement = {
  name: 'staff_get',
  text: `SELECT ${COLUMNS} FROM staff_member WHERE id = $1 AND deleted_at IS NULL`,
};

/** $1 member. Nobody else may change the row until the transaction ends. */
export const LOCK_STAFF: Statement = { name: 'staff_lock', text: `${GET_STAFF.text} FOR UPDATE` };

/** $1 id, $2 name, $3 PIN digest, $4 sealed PIN. */
export const INSERT_STAFF: Statement = {
  name: 'staff_insert',
  text: `INSERT INTO staff_member (id, name, pin_digest, pin_sealed) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`,
};

/** $1 member, $2 name. */
export const RENAME_STAFF: Statement = {
  name: 'staff_rename',
  text: `UPDATE staff_member SET name = $2, updated_at = now() WHERE id = $1 RETURNING ${COLUMNS}`,
};

/** $1 member, $2 PIN digest, $3 sealed PIN. Ends the member's sessions. */
export const REPLACE_PIN: Statement = {
  name: 'staff_replace_pin',
  text: `UPDATE staff_member
         SET pin_digest = $2, pin_sealed = $3, session_version = session_version + 1, updated_at = now()
         WHERE id = $1 RETURNING ${COLUMNS}`,
};

/** $1 member. Frees the PIN and ends the sessions; the gifts keep their collector. */
export const REMOVE_STAFF: Statement = {
  name: 'staff_remove',
  text: `UPDATE staff_member
         SET deleted_at = now(), pin_digest = NULL, pin_sealed = NULL,
             session_version = session_version + 1, updated_at = now()
         WHERE id = $1 AND deleted_at IS NULL RETURNING id`,
};

/** $1 member. */
export const UNASSIGN_EVERYWHERE: Statement = {
  name: 'staff_unassign_everywhere',
  text: 'DELETE FROM event_staff WHERE staff_id = $1',
};

/** $1 event. */
export const LIST_ASSIGNED: Statement = {
  name: 'staff_list_assigned',
  text: `SELECT m.id, m.name, m.pin_sealed, m.created_at
         FROM event_staff a JOIN staff_member m ON m.id = a.staff_id AND m.deleted_at IS NULL
         WHERE a.event_id = $1 ORDER BY m.id`,
};

/** $1 event, $2 member. No row where the assignment stands already, or the member does not. */
export const ASSIGN: Statement = {
  name: 'staff_assign',
  text: `INSERT INTO event_staff (event_id, staff_id)
         SELECT $1, id FROM staff_member WHERE id = $2 AND deleted_at IS NULL
         ON CONFLICT (event_id, staff_id) DO NOTHING
         RETURNING event_id, staff_id, created_at`,
};

/** $1 event, $2 member. */
export const GET_ASSIGNMENT: Statement = {
  name: 'staff_assignment',
  text: 'SELECT event_id, staff_id, created_at FROM event_staff WHERE event_id = $1 AND staff_id = $2',
};

/** $1 event, $2 member. */
export const UNASSIGN: Statement = {
  name: 'staff_unassign',
  text: 'DELETE FROM event_staff WHERE event_id = $1 AND staff_id = $2 RETURNING staff_id',
};
