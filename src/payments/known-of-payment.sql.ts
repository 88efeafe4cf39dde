import type { Statement } from '../data/database.js';

/** provider, payment, donation */
export const KNOWN_OF_PAYMENT: Statement = {
  name: 'known_of_payment',
  text: `SELECT
      EXISTS (SELECT 1 FROM webhook_event WHERE provider = $1 AND payment_id = $2 AND donation_id IS NULL) AS events,
      EXISTS (SELECT 1 FROM refund WHERE provider = $1 AND payment_id = $2)
        OR EXISTS (SELECT 1 FROM dispute WHERE provider = $1 AND payment_id = $2) AS returns,
      EXISTS (SELECT 1 FROM checkout WHERE donation_id = $3) AS checkout,
      EXISTS (SELECT 1 FROM pledge_payment WHERE donation_id = $3) AS pledge`,
};
