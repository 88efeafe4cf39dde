import type { Statement } from '../../data/database.js';
import type { Beside } from '../../donations/recording/paid-at-once.js';
import { anythingKnown } from './known-of-payment.sql.js';

export const SEEN: Statement = {
  name: 'webhook_event_seen',
  text: `SELECT w.donation_id, coalesce(w.payment_id, d.payment_id) AS payment_id
     FROM webhook_event w LEFT JOIN donation d ON d.id = w.donation_id
    WHERE w.provider = $1 AND w.webhook_event_id = $2`,
};

/** Answers nothing when the webhook event was committed before. */
export const CLAIM: Statement = {
  name: 'webhook_event_claim',
  text: `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome) VALUES ($1, $2, $3, 'received')
    ON CONFLICT DO NOTHING RETURNING webhook_event_id`,
};

// Of an event about a payment without a donation the payment is kept: the event stays open until there is one.
export const CLOSE: Statement = {
  name: 'webhook_event_close',
  text: `UPDATE webhook_event SET outcome = $3, donation_id = $4, payment_id = $5
    WHERE provider = $1 AND webhook_event_id = $2`,
};

/** provider, payment, donation: what was open about a payment is closed by the donation that it becomes. */
export const CLOSE_OPEN: Statement = {
  name: 'webhook_event_close_open',
  text: `UPDATE webhook_event SET outcome = 'booked', donation_id = $3
    WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL`,
};

/** The success of a payment by its webhook event, which the same statement claims and closes; the kind is what it needs besides. */
export const PAID_EVENT: Beside = {
  name: 'webhook_event_paid',
  unless: anythingKnown('asked.provider', 'asked.payment', 'asked.id'),
  claim: `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome, donation_id)
    SELECT provider, actor, for_claim, 'booked', id FROM open
    ON CONFLICT DO NOTHING RETURNING donation_id AS id`,
};
