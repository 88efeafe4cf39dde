import type { Statement } from '../../data/database.js';

export const JOIN_PLEDGE: Statement = {
  name: 'pledge_payment_join',
  text: 'INSERT INTO pledge_payment (donation_id, pledge_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

export const PLEDGE_PAID: Statement = {
  name: 'pledge_payment_pledge',
  text: 'SELECT pledge_id FROM pledge_payment WHERE donation_id = $1',
};
