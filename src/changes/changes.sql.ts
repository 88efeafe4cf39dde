import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Statement } from '../data/database.js';
import { ALL_COLUMNS } from '../donations/store/donation-columns.js';

/** A numbered message, with the position of the newest message. The message is null if there is none after the position. */
export interface PlacedRow {
  /** Position of the newest message of all events. */
  readonly head: bigint;
  readonly position: bigint | null;
  readonly event_id: string;
  readonly topic: string;
  readonly donation_id: string | null;
  readonly round_id: string | null;
  readonly subject_id: string | null;
  readonly created_at: Date;
}

/** Messages of all real events after position $1, at most $2 positions. One snapshot, so that no position is passed over. */
export const AFTER: Statement = {
  name: 'changes_after',
  text: `SELECT head.position AS head, o.position, o.event_id, o.topic, o.donation_id, o.round_id, o.subject_id, o.created_at
    FROM (SELECT coalesce(max(position), 0) AS position FROM outbox_head) AS head
    LEFT JOIN outbox o ON o.position > $1 AND o.position <= $1 + $2::bigint AND ${notRehearsal('o.event_id')}
    ORDER BY o.position`,
};

export const HEAD: Statement = {
  name: 'changes_head',
  text: 'SELECT coalesce(max(position), 0) AS position FROM outbox_head',
};

export const DONATIONS: Statement = {
  name: 'changes_donations',
  text: `SELECT ${ALL_COLUMNS} FROM donation WHERE id = ANY($1::uuid[])`,
};
