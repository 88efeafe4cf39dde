import type { Statement } from '../../data/database.js';

export interface MethodReadingRow {
  /** All donations of the provider from this id on are read. */
  readonly before_id: string;
  readonly finished_at: Date | null;
}

export const METHOD_READING: Statement = {
  name: 'method_reading',
  text: 'SELECT before_id, finished_at FROM method_reading WHERE provider = $1',
};

/** Parameters: provider, the id before which the reading begins. */
export const BEGIN_METHOD_READING: Statement = {
  name: 'method_reading_begin',
  text: 'INSERT INTO method_reading (provider, before_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

/** Parameters: provider, id, true if no older donation exists. */
export const METHODS_READ_TO: Statement = {
  name: 'method_reading_reached',
  text: `UPDATE method_reading SET before_id = $2, finished_at = CASE WHEN $3::boolean THEN now() END WHERE provider = $1`,
};

export interface OldPaymentRow {
  readonly id: string;
  readonly payment_id: string | null;
  readonly is_unread: boolean;
}

/** Parameters: provider, before this id, limit. Newest first. Takes no locks. */
export const OLD_PAYMENTS: Statement = {
  name: 'method_reading_payments',
  text: `SELECT id, payment_id, method IS NULL AND paid_at IS NOT NULL AND payment_id IS NOT NULL AS is_unread
    FROM donation WHERE provider = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
};
