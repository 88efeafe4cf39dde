import type { Statement } from '../../data/database.js';

export const FIND: Statement = {
  name: 'idempotency_find',
  text: `SELECT k.request_digest, k.donation_id, k.answer, d.currency, d.recorded_at
    FROM idempotency_key k LEFT JOIN donation d ON d.id = k.donation_id WHERE k.scope = $1 AND k.key = $2`,
};

export const CLAIM: Statement = {
  name: 'idempotency_claim',
  text: `INSERT INTO idempotency_key (scope, key, request_digest, donation_id) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING RETURNING donation_id`,
};

export const ANSWER: Statement = {
  name: 'idempotency_answer',
  text: 'UPDATE idempotency_key SET answer = $3, answered_at = now() WHERE scope = $1 AND key = $2',
};

export const PRUNE: Statement = {
  name: 'idempotency_prune',
  text: `DELETE FROM idempotency_key WHERE (scope, key) IN (
    SELECT scope, key FROM idempotency_key WHERE created_at < now() - interval '72 hours' LIMIT 5000)`,
};

export const ANSWERS_OF: Statement = {
  name: 'idempotency_answers_of',
  text: `SELECT scope, key, answer FROM idempotency_key WHERE donation_id = ANY($1::uuid[]) AND answer IS NOT NULL`,
};
