import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Statement } from '../../data/database.js';
import { ALL_COLUMNS } from '../../donations/store/donation-columns.js';

/** Statements on open pledges and on `pledge_contact`: they run in the transactions of pledges. */

const OPEN = `type = 'pledge' AND status = 'PENDING'`;
const PLEDGED_AT = 'coalesce(donation.recorded_at, donation.created_at)';

/** $1: first id of the period. Events with an open pledge that has an e-mail address. */
export const EVENTS_WITH_OPEN_PLEDGES: Statement = {
  name: 'pledge_events',
  text: `SELECT DISTINCT event_id FROM donation WHERE ${OPEN} AND donor_email IS NOT NULL AND id >= $1`,
};

export interface OpenPledgeRow {
  readonly id: string;
  /** The digest of the donor's e-mail address in hexadecimal. */
  readonly donor: string;
  readonly pledged_at: Date;
  readonly created_at: Date;
  readonly steps: readonly string[];
  /** Time of the last reminder that an admin requested. */
  readonly asked_at: Date | null;
}

/** $1: event; $2: first id of the period. Open pledges whose donors get e-mails, oldest first. */
export const OPEN_PLEDGES_OF_EVENT: Statement = {
  name: 'pledges_open_of_event',
  text: `SELECT donation.id, encode(donation.donor_key, 'hex') AS donor, ${PLEDGED_AT} AS pledged_at, donation.created_at,
      contact.steps, contact.asked_at
    FROM donation CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(step), '[]') AS steps, max(at) FILTER (WHERE step = 'asked') AS asked_at
      FROM pledge_contact WHERE pledge_id = donation.id
    ) AS contact
    WHERE donation.event_id = $1 AND donation.type = 'pledge' AND donation.status = 'PENDING' AND donation.id >= $2
      AND donation.donor_email IS NOT NULL AND donation.donor_key IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM pledge_opt_out WHERE pledge_opt_out.donor_key = donation.donor_key)
    ORDER BY donation.id`,
};

/** $1: event; $2: donor key. All open pledges of a donor at an event, oldest first. */
export const OPEN_PLEDGES_OF_DONOR: Statement = {
  name: 'pledges_open_of_donor',
  text: `SELECT ${ALL_COLUMNS} FROM donation WHERE event_id = $1 AND donor_key = $2 AND ${OPEN} ORDER BY id`,
};

/** Like `OPEN_PLEDGES_OF_DONOR`, and locks the rows until the commit. */
export const LOCK_OPEN_PLEDGES_OF_DONOR: Statement = {
  name: 'pledges_lock_open_of_donor',
  text: `${OPEN_PLEDGES_OF_DONOR.text} FOR UPDATE`,
};

/** $1: pledges. Locks them until the commit, in the order of `LOCK_OPEN_PLEDGES_OF_DONOR`. */
export const LOCK_PLEDGES: Statement = {
  name: 'pledges_lock',
  text: 'SELECT id FROM donation WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE',
};

/** $1: pledges; $2: time. One row if an admin requested a reminder of one of them after this time. */
export const ASKED_AFTER: Statement = {
  name: 'pledges_asked_after',
  text: `SELECT 1 AS one FROM pledge_contact WHERE pledge_id = ANY($1::uuid[]) AND step = 'asked' AND at > $2 LIMIT 1`,
};

/** $1: event; $2: donor key. All pledges of a donor at an event, oldest first. */
export const PLEDGES_OF_DONOR: Statement = {
  name: 'pledges_of_donor',
  text: `SELECT ${ALL_COLUMNS} FROM donation WHERE event_id = $1 AND donor_key = $2 AND type = 'pledge' ORDER BY id`,
};

/** $1: donor key. The language of the donor's latest donation with a known language. */
export const LANGUAGE_OF_DONOR: Statement = {
  name: 'pledge_language_of_donor',
  text: `SELECT locale FROM donation WHERE donor_key = $1 AND locale IS NOT NULL AND ${notRehearsal('event_id')}
    ORDER BY id DESC LIMIT 1`,
};

/** $1: e-mail; $2: pledges; $3: their steps. A step that a pledge has already is a unique violation. */
export const ADD_CONTACTS: Statement = {
  name: 'pledge_contacts_add',
  text: `INSERT INTO pledge_contact (pledge_id, step, email_id)
    SELECT pledge_id, step, $1::uuid FROM unnest($2::uuid[], $3::text[]) AS covered (pledge_id, step)`,
};

/** $1: step `asked` or `letter`; $2: e-mail or null; $3: pledges. These steps can be repeated. */
export const REPEAT_CONTACTS: Statement = {
  name: 'pledge_contacts_repeat',
  text: `INSERT INTO pledge_contact (pledge_id, step, email_id) SELECT pledge_id, $1, $2::uuid FROM unnest($3::uuid[]) AS pledge_id
    ON CONFLICT (pledge_id, step) DO UPDATE SET email_id = excluded.email_id, at = now()`,
};

/** $1: e-mail. Pledges that an e-mail covers. */
export const COVERED_BY_EMAIL: Statement = {
  name: 'pledges_covered_by_email',
  text: 'SELECT pledge_id FROM pledge_contact WHERE email_id = $1',
};

/** $1: pledge. One row if a reminder of the pledge waits or was sent in the last 24 hours. */
export const REMINDED: Statement = {
  name: 'pledge_reminded',
  text: `SELECT 1 AS one FROM email WHERE kind IN ('pledge_reminder', 'pledge_last')
      AND (donation_id = $1 OR id IN (SELECT email_id FROM pledge_contact WHERE pledge_id = $1))
      AND (state = 'queued' OR sent_at > now() - interval '24 hours') LIMIT 1`,
};

/** $1: donor key */
export const OPTED_OUT: Statement = {
  name: 'pledge_opted_out',
  text: 'SELECT 1 AS one FROM pledge_opt_out WHERE donor_key = $1',
};

/** $1: donor key. Returns a row for the first opt-out. */
export const OPT_OUT: Statement = {
  name: 'pledge_opt_out_add',
  text: 'INSERT INTO pledge_opt_out (donor_key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING created_at',
};
