import type { Statement } from '../../data/database.js';

/** $1 admin. The sealed secret of a second factor that was confirmed. */
export const CONFIRMED_SECRET: Statement = {
  name: 'totp_confirmed_secret',
  text: 'SELECT totp_sealed FROM admin WHERE id = $1 AND totp_confirmed_at IS NOT NULL',
};

/** $1 admin, $2 time step. No row for a step that is not later than the last one: a code is good once. */
export const USE_STEP: Statement = {
  name: 'totp_use_step',
  text: `UPDATE admin SET totp_last_step = $2
         WHERE id = $1 AND totp_confirmed_at IS NOT NULL AND (totp_last_step IS NULL OR totp_last_step < $2)
         RETURNING id`,
};

/** $1 admin, $2 digests. Of two requests at once, one gets the row. */
export const USE_RECOVERY_CODE: Statement = {
  name: 'recovery_code_use',
  text: `UPDATE recovery_code SET used_at = now()
         WHERE admin_id = $1 AND code_digest = ANY($2::bytea[]) AND used_at IS NULL RETURNING admin_id`,
};

/** $1 admin. */
export const RECOVERY_CODES_LEFT: Statement = {
  name: 'recovery_codes_left',
  text: 'SELECT count(*)::int AS codes FROM recovery_code WHERE admin_id = $1 AND used_at IS NULL',
};

/** $1 admin, under lock until the commit. */
export const LOCK_SECOND_FACTOR: Statement = {
  name: 'totp_lock',
  text: `SELECT email, totp_sealed, totp_confirmed_at IS NOT NULL AS confirmed FROM admin WHERE id = $1
         FOR NO KEY UPDATE`,
};

/** $1 admin, $2 sealed secret. */
export const KEEP_SECRET: Statement = {
  name: 'totp_keep_secret',
  text: 'UPDATE admin SET totp_sealed = $2, totp_last_step = NULL, updated_at = now() WHERE id = $1',
};

/** $1 admin, $2 the time step of the code that proved it. */
export const CONFIRM_SECRET: Statement = {
  name: 'totp_confirm',
  text: `UPDATE admin SET totp_confirmed_at = now(), totp_last_step = $2, updated_at = now() WHERE id = $1`,
};

/** $1 admin. Says whether it was asked for at sign-ins. */
export const FORGET_SECRET: Statement = {
  name: 'totp_forget',
  text: `UPDATE admin SET totp_sealed = NULL, totp_confirmed_at = NULL, totp_last_step = NULL, updated_at = now()
         FROM (SELECT id, totp_confirmed_at IS NOT NULL AS was_on FROM admin WHERE id = $1 FOR NO KEY UPDATE) AS before
         WHERE admin.id = before.id AND totp_sealed IS NOT NULL RETURNING before.was_on`,
};

/** $1 admin. */
export const FORGET_RECOVERY_CODES: Statement = {
  name: 'recovery_codes_forget',
  text: 'DELETE FROM recovery_code WHERE admin_id = $1',
};

/** $1 admin, $2 digests. */
export const KEEP_RECOVERY_CODES: Statement = {
  name: 'recovery_codes_keep',
  text: 'INSERT INTO recovery_code (admin_id, code_digest) SELECT $1, unnest($2::bytea[])',
};
