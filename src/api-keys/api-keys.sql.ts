import { CREATOR_CAN_SIGN_IN } from '../auth/api-keys/creator.js';
import type { Statement } from '../data/database.js';
import { API_KEYS_LOCK } from '../data/advisory-locks.js';

const KEY = `SELECT k.id, k.name, k.prefix, k.scopes, k.event_ids, k.expires_at, k.last_used_at, k.created_at, k.created_by,
      k.revoked_at, coalesce(a.name, a.email) AS creator, ${CREATOR_CAN_SIGN_IN} AS works
    FROM api_key k LEFT JOIN admin a ON a.id = k.created_by`;

/** Keys of the last 30 days after their end, and all keys that work; the newest first. */
export const LIST: Statement = {
  name: 'api_keys_list',
  text: `${KEY} WHERE coalesce(k.revoked_at, k.expires_at) > now() - interval '30 days' ORDER BY k.id DESC`,
};

export const BY_ID: Statement = { name: 'api_key_by_id', text: `${KEY} WHERE k.id = $1` };

/** Makes the creations of keys wait for each other until the end of the transaction. */
export const LOCK: Statement = {
  name: 'api_keys_lock',
  text: `SELECT pg_advisory_xact_lock(${API_KEYS_LOCK})`,
};

export const COUNT: Statement = {
  name: 'api_keys_count',
  text: 'SELECT count(*)::int AS count FROM api_key WHERE revoked_at IS NULL AND expires_at > now()',
};

/** Ids of $1 that are events. */
export const EVENTS: Statement = {
  name: 'api_key_events',
  text: 'SELECT id FROM event WHERE id = ANY($1::uuid[])',
};

export const INSERT: Statement = {
  name: 'api_key_insert',
  text: `INSERT INTO api_key (id, name, prefix, digest, scopes, event_ids, expires_at, created_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

export const REVOKE: Statement = {
  name: 'api_key_revoke',
  text: 'UPDATE api_key SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id',
};
