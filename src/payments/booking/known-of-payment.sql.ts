import type { Statement } from '../../data/database.js';

// OFFSET 0: looked up for each payment. By a plan made while the table was small the whole of it would be read.
const exists = (table: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${condition} OFFSET 0)`;

const IS_ABOUT = 'provider = $1 AND payment_id = $2';
const DONATION = `(SELECT id FROM donation WHERE ${IS_ABOUT})`;

/** provider, payment */
export const KNOWN_OF_PAYMENT: Statement = {
  name: 'known_of_payment',
  text: `SELECT ${exists('webhook_event', `${IS_ABOUT} AND donation_id IS NULL`)} AS events,
      ${exists('refund', IS_ABOUT)} OR ${exists('dispute', IS_ABOUT)} AS returns,
      ${exists('review_item', `kind IN ('payment_held', 'debit_failed') AND subject = $1 || ':' || $2`)} AS alerts,
      ${exists('checkout', `donation_id = ${DONATION}`)} AS checkout,
      ${exists('pledge_payment', `donation_id = ${DONATION}`)} AS pledge`,
};
