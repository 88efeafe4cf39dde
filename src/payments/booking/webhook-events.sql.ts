import type { Statement } from '../../data/database.js';

export const SEEN: Statement = {
  name: 'webhook_event_seen',
  text: `SELECT w.donation_id, coalesce(w.payment_id, d.payment_id) AS payment_id
     FROM webhook_event w LEFT JOIN donation d ON d.id = w.donation_id
    WHERE w.provider = $1 AND w.webhook_event_id = $2`,
};

/**
 * provider, webhook event, kind, what became of it, donation, payment: no row where it was committed before. Of an event about
 * a payment without a donation the payment is kept: the event stays open until there is one.
 */
export const CLAIM: Statement = {
  name: 'webhook_event_claim',
  text: `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome, donation_id, payment_id)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
};

/** provider, payment, donation: what was open about a payment is closed by the donation that it becomes. */
export const CLOSE_OPEN: Statement = {
  name: 'webhook_event_close_open',
  text: `UPDATE webhook_event SET outcome = 'booked', donation_id = $3
    WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL`,
};
