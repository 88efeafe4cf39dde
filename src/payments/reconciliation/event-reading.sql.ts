import type { Statement } from '../../data/database.js';

/**
 * Progress of reading the webhook events of a provider. All times except `read_at` come from the provider's clock, so
 * an error of our clock does no harm.
 */
export interface ReadingRow {
  /** All events up to this time are handled or stored in `unhandled_event`. */
  readonly read_to: Date | null;
  /**
   * For an unfinished reading: the times of the newest event (`newest`) and of the oldest event read so far
   * (`reached`).
   */
  readonly newest: Date | null;
  readonly reached: Date | null;
  /** Time of the last finished reading, by the database clock. */
  readonly read_at: Date | null;
}

export const READING: Statement = {
  name: 'event_reading',
  text: 'SELECT read_to, newest, reached, read_at FROM event_reading WHERE provider = $1',
};

/** Parameters: provider, newest, reached. */
export const REACHED: Statement = {
  name: 'event_reading_reached',
  text: `INSERT INTO event_reading (provider, newest, reached) VALUES ($1, $2, $3)
    ON CONFLICT (provider) DO UPDATE SET newest = excluded.newest, reached = excluded.reached`,
};

/** Parameters: provider, newest. */
export const READ: Statement = {
  name: 'event_reading_read',
  text: `INSERT INTO event_reading AS reading (provider, read_to, read_at) VALUES ($1, $2, now())
    ON CONFLICT (provider) DO UPDATE SET read_to = greatest(reading.read_to, excluded.read_to),
      newest = NULL, reached = NULL, read_at = now()`,
};

/** Returns the ids of the given webhook events that are already booked. */
export const SEEN_OF: Statement = {
  name: 'webhook_events_seen',
  text: 'SELECT webhook_event_id AS id FROM webhook_event WHERE provider = $1 AND webhook_event_id = ANY ($2::text[])',
};

/** Stores an event that could not be handled. Later runs load the event by its id and try it again. */
export const KEEP_UNHANDLED: Statement = {
  name: 'unhandled_event_keep',
  text: `INSERT INTO unhandled_event (provider, webhook_event_id) VALUES ($1, $2)
    ON CONFLICT (provider, webhook_event_id) DO UPDATE SET tried_at = now()`,
};

export interface UnhandledRow {
  readonly id: string;
  readonly found_at: Date;
  readonly tried_at: Date;
}

export const UNHANDLED: Statement = {
  name: 'unhandled_event_due',
  text: `SELECT webhook_event_id AS id, found_at, tried_at FROM unhandled_event WHERE provider = $1
    ORDER BY tried_at, webhook_event_id LIMIT 100`,
};

export const HANDLED: Statement = {
  name: 'unhandled_event_handled',
  text: 'DELETE FROM unhandled_event WHERE provider = $1 AND webhook_event_id = $2',
};

/** Parameters: subject. */
export const EXPIRED_SINCE: Statement = {
  name: 'expired_events_since',
  text: `SELECT (detail ->> 'since')::timestamptz AS since FROM review_item
    WHERE kind = 'events_expired' AND subject = $1 AND resolved_at IS NULL AND detail ->> 'since' IS NOT NULL`,
};

/**
 * Parameters: subject, time. Closes the review item about expired events if a reconciliation that began at this time in
 * the provider's list has read all of them.
 */
export const SETTLE_EXPIRED: Statement = {
  name: 'review_items_settle_expired_events',
  text: `UPDATE review_item SET resolved_at = now() WHERE kind = 'events_expired' AND subject = $1
    AND resolved_at IS NULL AND (detail ->> 'since')::timestamptz >= $2`,
};
