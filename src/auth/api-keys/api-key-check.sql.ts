import type { Statement } from '../../data/database.js';

export interface LiveKeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly digest: Buffer;
  readonly scopes: string[];
  readonly event_ids: string[];
  readonly expires_at: Date;
  /** Role of the creator. */
  readonly role: string;
}

/**
 * All keys that work now. There are few of them, so every process keeps them all. A key that was made before all sessions were
 * ended no longer works, because it may have been revoked after the backup that was restored.
 */
export const LIVE_KEYS: Statement = {
  name: 'api_keys_live',
  text: `SELECT k.id, k.name, k.prefix, k.digest, k.scopes, k.event_ids, k.expires_at, a.role
    FROM api_key k JOIN admin a ON a.id = k.created_by
    WHERE k.revoked_at IS NULL AND k.expires_at > now() AND a.disabled_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM session_epoch e WHERE e.ended_before > k.created_at)`,
};

/** $1 key. Several processes note the use, so the condition keeps the writes rare. */
export const NOTE_USE: Statement = {
  name: 'api_key_note_use',
  text: `UPDATE api_key SET last_used_at = now()
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
};
