import type { Statement } from '../../data/database.js';

export const JOIN_CHECKOUT: Statement = {
  name: 'checkout_join',
  text: 'INSERT INTO checkout (donation_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

// Whichever donation of the two is booked first is the first of its checkout.
export const JOIN_CHECKOUT_OF: Statement = {
  name: 'checkout_join_of',
  text: `WITH named AS (SELECT id FROM donation WHERE id = $2),
      began AS (INSERT INTO checkout (donation_id, key) SELECT id, 'donation:' || id FROM named
        ON CONFLICT (donation_id) DO UPDATE SET key = checkout.key RETURNING key)
    INSERT INTO checkout (donation_id, key) SELECT $1, key FROM began ON CONFLICT DO NOTHING`,
};

// Two payments that are booked at the same moment wait for each other here; the second one sees the first.
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

// A donor who was declined and paid otherwise, on a page that does not name its checkouts.
export const PAID_ALIKE: Statement = {
  name: 'checkout_paid_alike',
  text: `SELECT id, provider, payment_id FROM donation
    WHERE event_id = $1 AND amount = $2 AND currency = $3 AND donor_key = $4 AND provider IS NOT NULL
      AND paid_at IS NOT NULL AND id <> $5 AND id BETWEEN $6 AND $7 ORDER BY id`,
};
