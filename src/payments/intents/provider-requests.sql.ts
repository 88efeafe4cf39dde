import type { Statement } from '../../data/database.js';

// Keeps the body of the first request. The update changes nothing; without the update, RETURNING would return no
// existing row.
export const KEEP_PROVIDER_REQUEST: Statement = {
  name: 'provider_request_keep',
  text: `INSERT INTO provider_request (provider, key, body) VALUES ($1, $2, $3)
    ON CONFLICT (provider, key) DO UPDATE SET body = provider_request.body RETURNING body`,
};

export const PRUNE_PROVIDER_REQUESTS: Statement = {
  name: 'prune_provider_requests',
  text: `DELETE FROM provider_request WHERE (provider, key) IN (
    SELECT provider, key FROM provider_request WHERE created_at < now() - interval '90 days' LIMIT 5000)`,
};
