import type { Statement } from '../../data/database.js';

export const SEEN: Statement = {
  name: 'webhook_event_seen',
  text: `SELECT w.donation_id, coalesce(w.payment_id, d.payment_id) AS payment_id
     FROM webhook_event w LEFT JOIN donation d ON d.id = w.donation_id
    WHERE w.provider = $1 AND w.webhook_event_id = $2`,
};

/**
 * Parameters: provider, webhook event, kind, outcome, donation, payment. Inserts no row if the event is already
 * stored. A webhook event without a donation is stored with its payment id. It stays open until CLOSE_OPEN
 * sets the donation.
 */
export const CLAIM: Statement = {
  name: 'webhook_event_claim',
  text: `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome, donation_id, payment_id)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
};

/**
 * Parameters: provider, payment, donation. Closes the open webhook events of a payment when the payment becomes a
 * donation.
 */
export const CLOSE_OPEN: Statement = {
  name: 'webhook_event_close_open',
  text: `UPDATE webhook_event SET outcome = 'booked', donation_id = $3
    WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL`,
};

// OFFSET 0 forces an index look-up per payment. Without OFFSET 0, PostgreSQL may plan a full scan while the table is
// small, and still use this plan when the table is large.
const exists = (table: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${condition} OFFSET 0)`;

const IS_ABOUT = 'provider = $1 AND payment_id = $2';
const DONATION = `(SELECT id FROM donation WHERE ${IS_ABOUT})`;

/** Parameters: provider, payment. */
export const KNOWN_OF_PAYMENT: Statement = {
  name: 'known_of_payment',
  text: `SELECT ${exists('webhook_event', `${IS_ABOUT} AND donation_id IS NULL`)} AS events,
      ${exists('refund', IS_ABOUT)} OR ${exists('dispute', IS_ABOUT)} AS returns,
      ${exists('review_item', `kind IN ('payment_held', 'debit_failed') AND subject = $1 || ':' || $2`)} AS alerts,
      ${exists('checkout', `donation_id = ${DONATION}`)} AS checkout,
      ${exists('pledge_payment', `donation_id = ${DONATION}`)} AS pledge`,
};

const asks = (field: string): string =>
  `coalesce(e.overrides #>> '{donation,fields,${field}}', g.value #>> '{donation,fields,${field}}', 'optional') <> 'hidden'`;

/** Parameters: donation, event, digest of the payer's e-mail address, time of the payment. */
export const PAYER_RULES: Statement = {
  name: 'payer_rules',
  text: `SELECT EXISTS (SELECT 1 FROM donation_history WHERE donation_id = $1 AND fields <> '{}') AS is_settled,
      EXISTS (SELECT 1 FROM erased_donor WHERE donor_key = $3 AND erased_at >= $4) AS is_erased,
      ${asks('donorName')} AS keeps_name, ${asks('donorEmail')} AS keeps_email
    FROM event e LEFT JOIN global_settings g ON true WHERE e.id = $2`,
};

export const JOIN_PLEDGE: Statement = {
  name: 'pledge_payment_join',
  text: 'INSERT INTO pledge_payment (donation_id, pledge_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

/** Parameters: pledge. Locks the pledge, and shows if the charge of a saved card has no answer yet. */
export const LOCK_PAYABLE: Statement = {
  name: 'pledge_payment_lock',
  text: `SELECT status, ${exists('card_charge', `pledge_id = donation.id AND state = 'charging'`)} AS is_charging
    FROM donation WHERE id = $1 FOR UPDATE`,
};

export const PLEDGE_PAID: Statement = {
  name: 'pledge_payment_pledge',
  text: `SELECT pledge_id, ${exists('card_charge', 'donation_id = $1')} AS is_charge FROM pledge_payment WHERE donation_id = $1`,
};

/** Parameters: donation. One row if the donation is the charge of a saved card. */
export const IS_CARD_CHARGE: Statement = {
  name: 'pledge_payment_is_charge',
  text: 'SELECT 1 AS one FROM card_charge WHERE donation_id = $1',
};

/** Parameters: pledge. One row if a saved card is being charged for the pledge. */
export const IS_BEING_CHARGED: Statement = {
  name: 'pledge_being_charged',
  text: `SELECT 1 AS one FROM card_charge WHERE pledge_id = $1 AND state = 'charging'`,
};

export const JOIN_CHECKOUT: Statement = {
  name: 'checkout_join',
  text: 'INSERT INTO checkout (donation_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

// Both donations get the same checkout key, in either order of booking.
export const JOIN_CHECKOUT_OF: Statement = {
  name: 'checkout_join_of',
  text: `WITH named AS (SELECT id FROM donation WHERE id = $2),
      began AS (INSERT INTO checkout (donation_id, key) SELECT id, 'donation:' || id FROM named
        ON CONFLICT (donation_id) DO UPDATE SET key = checkout.key RETURNING key)
    INSERT INTO checkout (donation_id, key) SELECT $1, key FROM began ON CONFLICT DO NOTHING`,
};

// Locks the rows. If two payments are booked at the same moment, the second booking waits and then sees the first
// payment.
export const LOCK_CHECKOUT: Statement = {
  name: 'checkout_lock',
  text: `SELECT donation_id FROM checkout WHERE key = (SELECT key FROM checkout WHERE donation_id = $1)
    ORDER BY donation_id FOR UPDATE`,
};

export const PAID_IN_CHECKOUT: Statement = {
  name: 'checkout_paid',
  text: `SELECT id, provider, payment_id FROM donation
    WHERE id = ANY($1::uuid[]) AND id <> $2 AND paid_at IS NOT NULL ORDER BY id`,
};

// For a failed payment without a checkout: finds paid donations of the same donor, event and amount.
export const PAID_ALIKE: Statement = {
  name: 'checkout_paid_alike',
  text: `SELECT id, provider, payment_id FROM donation
    WHERE event_id = $1 AND amount = $2 AND currency = $3 AND donor_key = $4 AND provider IS NOT NULL
      AND paid_at IS NOT NULL AND id <> $5 AND id BETWEEN $6 AND $7 ORDER BY id`,
};
