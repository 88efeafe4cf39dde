import type { SealPurpose } from '../common/crypto/key-ring.js';
import { SEALS_LOCK } from '../data/advisory-locks.js';
import type { Statement } from '../data/database.js';

/** Locks the encrypted secrets until the commit. */
export const LOCK_SEALS: Statement = {
  name: 'seals_lock',
  text: `SELECT pg_advisory_xact_lock(${SEALS_LOCK})`,
};

export const DONOR_KEY: Statement = {
  name: 'kept_key_of_donors',
  text: `SELECT sealed, replaced_at FROM kept_key WHERE purpose = 'donor-key'`,
};

/**
 * $1 encrypted key, $2 true if the key was encrypted with a value of the secret other than the value from which it was derived.
 */
export const KEEP_DONOR_KEY: Statement = {
  name: 'kept_key_keep',
  text: `INSERT INTO kept_key (purpose, sealed, replaced_at)
    VALUES ('donor-key', $1, CASE WHEN $2::boolean THEN now() END)`,
};

/** $1 newly encrypted key, $2 the stored ciphertext that was read. */
export const SEAL_DONOR_KEY: Statement = {
  name: 'kept_key_seal',
  text: `UPDATE kept_key SET sealed = $1, replaced_at = now() WHERE purpose = 'donor-key' AND sealed = $2
    RETURNING replaced_at`,
};

/** The newest donors, with the donor keys that earlier releases stored. */
export const RECENT_DONORS: Statement = {
  name: 'kept_key_evidence',
  text: `SELECT donor_email AS email, donor_key AS key
    FROM (SELECT donor_email, donor_key FROM donation ORDER BY id DESC LIMIT 100000) AS recent
    WHERE donor_email IS NOT NULL AND donor_key IS NOT NULL LIMIT 20`,
};

/**
 * $1 time. Counts terminals and accounts from before this time whose digests depend on `PIN_SECRET`. These digests cannot be
 * recreated.
 */
export const MADE_BEFORE: Statement = {
  name: 'made_before_replacement',
  text: `SELECT
      (SELECT count(*) FROM terminal WHERE revoked_at IS NULL AND created_at < $1)::int AS terminals,
      (SELECT count(*) FROM admin a WHERE totp_confirmed_at < $1
        AND EXISTS (SELECT 1 FROM recovery_code c WHERE c.admin_id = a.id AND c.used_at IS NULL))::int AS accounts`,
};

/** A kind of rows with an encrypted value. */
export interface SealedKind {
  readonly purpose: SealPurpose;
  readonly one: string;
  readonly many: string;
  /** Returns `id` and `sealed` of each row. */
  readonly read: Statement;
  /** $1 id, $2 the ciphertext that was read, $3 the new ciphertext, and for PINs $4 the new digest. */
  readonly write: Statement;
}

export const SEALED_KINDS: readonly SealedKind[] = [
  {
    purpose: 'pin-seal',
    one: 'staff PIN',
    many: 'staff PINs',
    read: {
      name: 'sealed_pins',
      text: 'SELECT id, pin_sealed AS sealed FROM staff_member WHERE pin_sealed IS NOT NULL ORDER BY id',
    },
    // If two members have the same PIN, their rows stay unchanged, because the unique column would make the whole transaction
    // fail.
    write: {
      name: 'sealed_pin_write',
      text: `UPDATE staff_member SET pin_sealed = $3, pin_digest = $4 WHERE id = $1 AND pin_sealed = $2
        AND NOT EXISTS (SELECT 1 FROM staff_member o WHERE o.pin_digest = $4 AND o.id <> $1) RETURNING id`,
    },
  },
  {
    purpose: 'totp-seal',
    one: 'second factor',
    many: 'second factors',
    read: {
      name: 'sealed_factors',
      text: 'SELECT id, totp_sealed AS sealed FROM admin WHERE totp_sealed IS NOT NULL ORDER BY id',
    },
    write: {
      name: 'sealed_factor_write',
      text: 'UPDATE admin SET totp_sealed = $3 WHERE id = $1 AND totp_sealed = $2 RETURNING id',
    },
  },
  {
    purpose: 'email-seal',
    one: 'queued e-mail',
    many: 'queued e-mails',
    read: {
      name: 'sealed_emails',
      text: 'SELECT id, sealed FROM email WHERE sealed IS NOT NULL ORDER BY id',
    },
    write: {
      name: 'sealed_email_write',
      text: 'UPDATE email SET sealed = $3 WHERE id = $1 AND sealed = $2 RETURNING id',
    },
  },
  {
    purpose: 'receipt-seal',
    one: 'sealed receipt',
    many: 'sealed receipts',
    read: { name: 'sealed_receipts', text: 'SELECT id, sealed FROM sealed_receipt ORDER BY id' },
    write: {
      name: 'sealed_receipt_write',
      text: 'UPDATE sealed_receipt SET sealed = $3 WHERE id = $1 AND sealed = $2 RETURNING id',
    },
  },
  {
    purpose: 'webhook-seal',
    one: 'webhook secret',
    many: 'webhook secrets',
    read: {
      name: 'sealed_webhook_secrets',
      text: 'SELECT id, secret_sealed AS sealed FROM webhook_endpoint ORDER BY id',
    },
    write: {
      name: 'sealed_webhook_secret_write',
      text: 'UPDATE webhook_endpoint SET secret_sealed = $3 WHERE id = $1 AND secret_sealed = $2 RETURNING id',
    },
  },
  {
    purpose: 'webhook-seal',
    one: 'former webhook secret',
    many: 'former webhook secrets',
    read: {
      name: 'sealed_old_webhook_secrets',
      text: `SELECT id, old_secret_sealed AS sealed FROM webhook_endpoint WHERE old_secret_until > now() ORDER BY id`,
    },
    write: {
      name: 'sealed_old_webhook_secret_write',
      text: 'UPDATE webhook_endpoint SET old_secret_sealed = $3 WHERE id = $1 AND old_secret_sealed = $2 RETURNING id',
    },
  },
];
