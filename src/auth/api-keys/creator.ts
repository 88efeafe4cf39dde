/**
 * SQL condition: the creator `a` of the key `k` can still sign in. A key that was made before all sessions were ended no longer
 * works, because it may have been revoked after the backup that was restored.
 */
export const CREATOR_CAN_SIGN_IN = `(a.id IS NOT NULL AND a.disabled_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM session_epoch e WHERE e.ended_before > k.created_at))`;
