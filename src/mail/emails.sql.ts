import type { Statement } from '../data/database.js';
import type { EmailKind } from './email-kinds.js';

/**
 * Statements without Prisma. They queue receipts in the transactions of donations, and read the queue that all processes share.
 */

/** An e-mail that this process has claimed for sending. */
export interface ClaimedEmail {
  readonly id: string;
  readonly kind: EmailKind;
  readonly subject: string;
  readonly donation_id: string | null;
  readonly sealed: Buffer | null;
  readonly created_at: Date;
  readonly round: number;
  readonly attempts: number;
  readonly is_copy: boolean | null;
  readonly claimed_until: Date;
}

const SHOWN = `id, kind, donation_id AS "donationId", state, attempts, last_error AS "lastError",
      created_at AS "createdAt", next_attempt_at AS "nextAttemptAt", sent_at AS "sentAt"`;

/**
 * Queues the receipt of a donation once, if the event's settings allow this e-mail.
 * $1: id; $2: donation
 */
export const ENQUEUE_RECEIPT: Statement = {
  name: 'email_enqueue_receipt',
  text: `INSERT INTO email (id, kind, subject, donation_id)
    SELECT $1::uuid, 'receipt', d.id::text, d.id
    FROM donation d JOIN event e ON e.id = d.event_id LEFT JOIN global_settings g ON true
    WHERE d.id = $2::uuid AND coalesce(e.overrides #>> '{receipts,email}', g.value #>> '{receipts,email}', 'true') <> 'false'
    ON CONFLICT (kind, subject) DO NOTHING`,
};

/**
 * Queues a receipt that a user requests. A receipt that was sent is sent again; a queued receipt is sent immediately.
 * $1: id; $2: donation
 */
export const REQUEST_RECEIPT: Statement = {
  name: 'email_request_receipt',
  text: `INSERT INTO email (id, kind, subject, donation_id) VALUES ($1::uuid, 'receipt', $2::uuid::text, $2::uuid)
    ON CONFLICT (kind, subject) DO UPDATE SET state = 'queued', attempts = 0, next_attempt_at = now(), last_error = NULL,
      round = email.round + (email.state = 'sent')::int,
      is_copy = CASE WHEN email.state = 'sent' THEN NULL ELSE email.is_copy END
    RETURNING ${SHOWN}`,
};

/**
 * Queues the reminder of a pledge that an admin requests; returns no row if such a reminder of the pledge waits or was sent in the
 * last 24 hours.
 * $1: id; $2: donation; $3: delay
 */
export const ENQUEUE_REMINDER: Statement = {
  name: 'email_enqueue_reminder',
  text: `INSERT INTO email (id, kind, subject, donation_id, next_attempt_at)
      VALUES ($1::uuid, 'pledge_reminder', $2::uuid::text, $2::uuid, now() + $3::interval)
    ON CONFLICT (kind, subject) DO UPDATE SET state = 'queued', attempts = 0, next_attempt_at = excluded.next_attempt_at,
      last_error = NULL, round = email.round + (email.state = 'sent')::int, sent_at = NULL, created_at = now()
      WHERE email.state IN ('failed', 'bounced') OR email.sent_at < now() - interval '24 hours'
    RETURNING id`,
};

/**
 * Queues an e-mail about a pledge that the schedule sends. The step is part of the unique key, so a second e-mail of the same step
 * is a unique violation.
 * $1: id; $2: kind; $3: donation; $4: step
 */
export const ENQUEUE_PLEDGE_STEP: Statement = {
  name: 'email_enqueue_pledge_step',
  text: `INSERT INTO email (id, kind, subject, donation_id) VALUES ($1::uuid, $2::email_kind, $3::uuid || ':' || $4::text, $3::uuid)`,
};

/** Kinds of e-mails that are sent at most once: a missing one does less harm than a second one. */
const ONCE = `kind IN ('pledge_thanks', 'pledge_reminder', 'pledge_last', 'tribute_notice')`;

/**
 * Gives up e-mails of these kinds whose process ended while it sent them. The mail server may have accepted such an e-mail, so it
 * is not sent again by itself.
 * $1: error text
 */
export const ABANDON: Statement = {
  name: 'email_abandon',
  text: `UPDATE email SET state = 'failed', last_error = $1, claimed_until = NULL
    WHERE state = 'queued' AND ${ONCE} AND claimed_until < now() RETURNING id, kind, donation_id, attempts`,
};

/** $1: id; $2: donation */
export const ENQUEUE_TRANSFER: Statement = {
  name: 'email_enqueue_transfer',
  text: `INSERT INTO email (id, kind, subject, donation_id) VALUES ($1::uuid, 'transfer_details', $2::uuid::text, $2::uuid)
    ON CONFLICT (kind, subject) DO NOTHING`,
};

/**
 * Queues the notices before the charges of a batch, one for each saved card.
 * $1: ids; $2: subjects; $3: pledges
 */
export const ENQUEUE_CHARGE_NOTICES: Statement = {
  name: 'email_enqueue_charge_notices',
  text: `INSERT INTO email (id, kind, subject, donation_id) SELECT id, 'charge_notice', subject, pledge_id
    FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS notice (id, subject, pledge_id)`,
};

/** Queues the e-mail about a declined charge; a pledge has only one. $1: id; $2: pledge */
export const ENQUEUE_CHARGE_FAILED: Statement = {
  name: 'email_enqueue_charge_failed',
  text: `INSERT INTO email (id, kind, subject, donation_id) VALUES ($1::uuid, 'charge_failed', $2::uuid::text, $2::uuid)
    ON CONFLICT (kind, subject) DO NOTHING`,
};

/** Queues the e-mails about tributes. A donation has only one such e-mail. $1: ids; $2: donations */
export const ENQUEUE_TRIBUTES: Statement = {
  name: 'email_enqueue_tributes',
  text: `INSERT INTO email (id, kind, subject, donation_id)
    SELECT id, 'tribute_notice', donation_id::text, donation_id FROM unnest($1::uuid[], $2::uuid[]) AS due (id, donation_id)
    ON CONFLICT (kind, subject) DO NOTHING RETURNING id`,
};

/** $1: id; $2: kind; $3: subject, which begins with the donor key in hexadecimal; $4: encrypted content */
export const ENQUEUE_OWN_PAGE: Statement = {
  name: 'email_enqueue_own_page',
  text: 'INSERT INTO email (id, kind, subject, sealed) VALUES ($1, $2::email_kind, $3, $4)',
};

/**
 * Queues an e-mail that asks a donor for the postal address, unless the last one for the same subject is less than a week old.
 * Returns no row in this case. $1: id; $2: subject; $3: encrypted content
 */
/** $1: id; $2: admin and endpoint */
export const ENQUEUE_WEBHOOK_DISABLED: Statement = {
  name: 'email_enqueue_webhook_disabled',
  text: `INSERT INTO email (id, kind, subject) VALUES ($1, 'webhook_disabled', $2)`,
};

export const ENQUEUE_MISSING_ADDRESS: Statement = {
  name: 'email_enqueue_missing_address',
  text: `INSERT INTO email (id, kind, subject, sealed) VALUES ($1, 'missing_address', $2, $3)
    ON CONFLICT (kind, subject) DO UPDATE SET state = 'queued', attempts = 0, next_attempt_at = now(), last_error = NULL,
      sealed = excluded.sealed, created_at = now()
    WHERE email.created_at < now() - interval '7 days' AND email.state <> 'queued'
    RETURNING id`,
};

/** E-mails to a donor, not about one donation. Their subject begins with the donor key in hexadecimal. */
const OF_DONOR = "kind IN ('own_page_link', 'erasure_requested', 'missing_address')";

/** Deletes the e-mails about the own page of a donor. $1: donor key in hexadecimal */
export const ERASE_OWN_PAGE: Statement = {
  name: 'emails_erase_own_page',
  text: `DELETE FROM email WHERE ${OF_DONOR} AND subject >= $1 || ':' AND subject < $1 || ';'`,
};

/**
 * $1: duration of the claim. If a process ends before it has sent the e-mail, its claim expires. An e-mail that is sent at most once
 * is then left to `ABANDON`, also if the claim expires while the queue is read.
 */
export const CLAIM: Statement = {
  name: 'email_claim',
  text: `UPDATE email SET claimed_until = now() + $1::interval, attempts = attempts + 1
    WHERE id = (
      SELECT id FROM email WHERE state = 'queued' AND next_attempt_at <= now()
        AND (claimed_until IS NULL OR claimed_until < now() AND NOT ${ONCE})
      ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, kind, subject, donation_id, sealed, created_at, round, attempts, is_copy, claimed_until`,
};

/** $1: donation. One row if the donation is of a rehearsal, with the only addresses that get its e-mails. */
export const REHEARSAL_OF_DONATION: Statement = {
  name: 'email_rehearsal_of_donation',
  text: `SELECT rehearsal.mail_to FROM donation JOIN rehearsal ON rehearsal.event_id = donation.event_id WHERE donation.id = $1`,
};

// True only while this process still has the claim.
const OURS = 'WHERE id = $1 AND claimed_until = $2';

export const MARK_COPY: Statement = {
  name: 'email_mark_copy',
  text: `UPDATE email SET is_copy = $3 ${OURS}`,
};

export const MARK_SENT: Statement = {
  name: 'email_mark_sent',
  text: `UPDATE email SET state = 'sent', sent_at = now(), sealed = NULL, last_error = NULL, claimed_until = NULL
    ${OURS} RETURNING id`,
};

/** $1, $2: claim; $3: delay until the next try; $4: error text */
export const TRY_LATER: Statement = {
  name: 'email_try_later',
  text: `UPDATE email SET next_attempt_at = now() + $3::interval, last_error = $4, claimed_until = NULL ${OURS}`,
};

/** Postpones an e-mail that must not be sent now. This is no attempt. $1, $2: claim; $3: delay */
export const POSTPONE: Statement = {
  name: 'email_postpone',
  text: `UPDATE email SET next_attempt_at = now() + $3::interval, attempts = attempts - 1, claimed_until = NULL ${OURS}`,
};

/** $1, $2: claim; $3: final state; $4: error text */
export const GIVE_UP: Statement = {
  name: 'email_give_up',
  text: `UPDATE email SET state = $3::email_state, last_error = $4, claimed_until = NULL ${OURS} RETURNING id`,
};

/** Deletes an e-mail that must not be sent, because the donor was erased or the donation is not COMPLETED. */
export const DROP: Statement = { name: 'email_drop', text: `DELETE FROM email ${OURS}` };

/**
 * Deletes unsent e-mails of erased donors. The rows of sent e-mails stay, because they contain no error text with an address.
 */
export const ERASE_UNSENT: Statement = {
  name: 'emails_erase_unsent',
  text: `DELETE FROM email WHERE donation_id = ANY($1::uuid[]) AND state <> 'sent'`,
};

/** Deletes old e-mails about accounts and own pages, whose links have expired. The row of a receipt stays as long as its donation. */
export const PRUNE: Statement = {
  name: 'email_prune',
  text: `DELETE FROM email WHERE (kind IN ('invitation', 'account_change', 'webhook_disabled') OR ${OF_DONOR}) AND created_at < now() - interval '30 days'`,
};

/** Closes the review items of failed e-mails that were deleted, replaced or pruned. */
export const SETTLE_GONE: Statement = {
  name: 'email_settle_gone',
  text: `UPDATE review_item item SET resolved_at = now() WHERE kind = 'email_failed' AND resolved_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM email WHERE 'email:' || email.id = item.subject)`,
};
