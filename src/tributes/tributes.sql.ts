import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Statement } from '../data/database.js';

/** Statements on tributes: they read donations, and run in the transactions of donations. */

/** Time after the completion in which the team can undo a record or correct an address. */
const AFTER = '1 minute';
/** Number of such e-mails to one address in 24 hours. Others wait. */
export const MOST_A_DAY = 20;
/** After this time no e-mail is sent, and the address is erased. */
export const KEPT_DAYS = 90;

const WAITS = `${notRehearsal('event_id')} AND status = 'COMPLETED' AND notified_key IS NOT NULL AND tribute_state = 'visible'
      AND (is_anonymous OR name_state <> 'held')`;

/**
 * Completed donations whose notified person gets an e-mail now, oldest first. Excludes addresses that opted out, and those with too
 * many e-mails today.
 * $1: maximum number of rows
 */
export const DUE_NOTICES: Statement = {
  name: 'tribute_due_notices',
  text: `SELECT id FROM (
      SELECT donation.id, donation.notified_key,
        row_number() OVER (PARTITION BY donation.notified_key ORDER BY donation.id) AS place
      FROM donation WHERE ${WAITS}
        AND completed_at < now() - interval '${AFTER}' AND completed_at > now() - interval '${KEPT_DAYS} days'
        AND NOT EXISTS (SELECT 1 FROM email WHERE email.kind = 'tribute_notice' AND email.subject = donation.id::text)
        AND NOT EXISTS (SELECT 1 FROM tribute_opt_out WHERE address_key = donation.notified_key)) AS due
    WHERE place + (SELECT count(*) FROM email JOIN donation told ON told.id = email.donation_id
      WHERE email.kind = 'tribute_notice' AND told.notified_key = due.notified_key
        AND email.created_at > now() - interval '24 hours') <= ${MOST_A_DAY}
    ORDER BY id LIMIT $1`,
};

/** $1: address key */
export const OPTED_OUT: Statement = {
  name: 'tribute_opted_out',
  text: 'SELECT 1 AS one FROM tribute_opt_out WHERE address_key = $1',
};

/** $1: address key. Returns a row for the first opt-out. */
export const OPT_OUT: Statement = {
  name: 'tribute_opt_out_add',
  text: 'INSERT INTO tribute_opt_out (address_key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING created_at',
};

/** Donations whose notified address is no longer needed. $1: maximum number of rows */
export const OLD_ADDRESSES: Statement = {
  name: 'tribute_old_addresses',
  text: `SELECT id FROM donation WHERE notified_key IS NOT NULL AND completed_at < now() - interval '${KEPT_DAYS} days'
    ORDER BY id LIMIT $1`,
};

/** $1: address key; $2: maximum number of rows. Donations whose tributes notify this person. */
export const TOLD: Statement = {
  name: 'tribute_told',
  text: 'SELECT id, tribute, completed_at FROM donation WHERE notified_key = $1 ORDER BY id DESC LIMIT $2',
};
