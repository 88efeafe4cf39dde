import type { Statement } from '../data/database.js';

export const SEEN: Statement = {
  name: 'webhook_event_seen',
  text: 'SELECT 1 AS one FROM webhook_event WHERE provider = $1 AND webhook_event_id = $2',
};

/** Answers nothing when the webhook event was committed before. */
export const CLAIM: Statement = {
  name: 'webhook_event_claim',
  text: `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome) VALUES ($1, $2, $3, 'received')
    ON CONFLICT DO NOTHING RETURNING webhook_event_id`,
};

export const CLOSE: Statement = {
  name: 'webhook_event_close',
  text: 'UPDATE webhook_event SET outcome = $3, donation_id = $4 WHERE provider = $1 AND webhook_event_id = $2',
};
