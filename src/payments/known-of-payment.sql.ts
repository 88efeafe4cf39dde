import type { Statement } from '../data/database.js';

/** What may be known of a payment, each as an SQL condition. */
const known = (provider: string, payment: string, donation: string) => ({
  events: `EXISTS (SELECT 1 FROM webhook_event WHERE provider = ${provider} AND payment_id = ${payment} AND donation_id IS NULL)`,
  returns: `(EXISTS (SELECT 1 FROM refund WHERE provider = ${provider} AND payment_id = ${payment})
        OR EXISTS (SELECT 1 FROM dispute WHERE provider = ${provider} AND payment_id = ${payment}))`,
  checkout: `EXISTS (SELECT 1 FROM checkout WHERE donation_id = ${donation})`,
  pledge: `EXISTS (SELECT 1 FROM pledge_payment WHERE donation_id = ${donation})`,
});

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
