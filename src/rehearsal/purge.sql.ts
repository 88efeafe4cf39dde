import type { Statement } from '../data/database.js';

/** Rows of a rehearsal that are deleted in one transaction. */
const BATCH = 1_000;

/**
 * The tables with rows of a rehearsal, in the order of their deletion, with the condition of its rows. All other rows of a
 * rehearsal disappear with a row of these tables, by a foreign key. A test compares the list with the schema.
 */
export const REHEARSAL_TABLES = {
  /** $1: donations of one batch */
  donations: {
    match_draw: 'donation_id = ANY($1)',
    team_gift: 'donation_id = ANY($1)',
    gift_aid_declaration: 'donation_id = ANY($1)',
    confirmed_gift: 'donation_id = ANY($1)',
    receipt: 'donation_id = ANY($1)',
    dispute: 'donation_id = ANY($1)',
    provider_request: `key = ANY(ARRAY(SELECT 'intent:' || unnest($1) UNION ALL SELECT 'ready:' || unnest($1)
      UNION ALL SELECT 'refund:' || id FROM refund WHERE donation_id = ANY($1)))`,
    refund: 'donation_id = ANY($1)',
    review_item: 'donation_id = ANY($1)',
    webhook_event: 'donation_id = ANY($1)',
    idempotency_key: 'donation_id = ANY($1)',
    donation_history: 'donation_id = ANY($1)',
    donation: 'id = ANY($1)',
  },
  /** $1: the event of the rehearsal */
  event: {
    shift: 'event_id = $1',
    match_pool: 'event_id = $1',
    guest: 'event_id = $1',
    team: 'event_id = $1',
    outbox: 'event_id = $1',
    follower_position: 'event_id = $1',
    event_feed: 'event_id = $1',
    webhook_message: 'event_id = $1',
    receipt_counter: 'year = (SELECT -series FROM rehearsal WHERE event_id = $1)',
    event: 'id = $1 AND rehearsal_of IS NOT NULL',
  },
} as const;

export interface Purging {
  readonly table: string;
  readonly statement: Statement;
}

const purges = (conditions: Readonly<Record<string, string>>, type: string): Purging[] =>
  Object.entries(conditions).map(([table, condition]) => ({
    table,
    statement: {
      name: `rehearsal_delete_${table}`,
      text: `WITH gone AS (DELETE FROM ${table} WHERE ${condition.replaceAll('$1', `$1::${type}`)} RETURNING 1)
        SELECT count(*)::int AS count FROM gone`,
    },
  }));

export const OF_DONATIONS: readonly Purging[] = purges(REHEARSAL_TABLES.donations, 'uuid[]');
export const OF_EVENT: readonly Purging[] = purges(REHEARSAL_TABLES.event, 'uuid');

/**
 * The next donations to delete. Pledges come before the donations that paid them, because they refer to these.
 * $1: the event of the rehearsal
 */
export const NEXT_DONATIONS: Statement = {
  name: 'rehearsal_next_donations',
  text: `SELECT donation.id FROM donation JOIN event ON event.id = donation.event_id
    WHERE donation.event_id = $1 AND event.rehearsal_of IS NOT NULL
    ORDER BY donation.paid_by IS NULL, donation.id LIMIT ${BATCH}`,
};

/** Adds the numbers of deleted rows. $1: the event of the rehearsal; $2: numbers by table */
export const COUNT_DELETED: Statement = {
  name: 'rehearsal_count_deleted',
  text: 'UPDATE rehearsal SET deleted = $2::jsonb WHERE event_id = $1',
};

/** $1: the event of the rehearsal. Later deletions of its rows wait for this transaction. */
export const DELETED_SO_FAR: Statement = {
  name: 'rehearsal_deleted_so_far',
  text: 'SELECT deleted FROM rehearsal WHERE event_id = $1 AND ended_at IS NOT NULL FOR UPDATE',
};
