import type { Statement } from '../../data/database.js';

// OFFSET 0: looked up for each payment. By a plan made while the table was small the whole of it would be read.
const exists = (table: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${condition} OFFSET 0)`;

/** What may be known of a payment, each as an SQL condition. */
const known = (provider: string, payment: string, donation: string) => {
  const isAbout = `provider = ${provider} AND payment_id = ${payment}`;
  return {
    events: exists('webhook_event', `${isAbout} AND donation_id IS NULL`),
    returns: `(${exists('refund', isAbout)} OR ${exists('dispute', isAbout)})`,
    checkout: exists('checkout', `donation_id = ${donation}`),
    pledge: exists('pledge_payment', `donation_id = ${donation}`),
  };
};

/** provider, payment, donation */
export const KNOWN_OF_PAYMENT: Statement = {
  name: 'known_of_payment',
  text: `SELECT ${Object.entries(known('$1', '$2', '$3'))
    .map(([name, condition]) => `${condition} AS ${name}`)
    .join(',\n      ')}`,
};

/** Whether there is anything of that, as a condition of a larger statement. */
export const anythingKnown = (provider: string, payment: string, donation: string): string =>
  Object.values(known(provider, payment, donation)).join('\n      OR ');
