import type pg from 'pg';
import { KeyRing } from '../common/crypto/key-ring.js';
import { newId } from '../common/crypto/ids.js';
import type { AppConfig } from '../config/app-config.js';
import { secretValues } from '../config/core-rules.js';
import { type AccountChange, changeByCommand, sealedNotice } from '../mail/content/account-change.js';

const QUEUE = "INSERT INTO email (id, kind, subject, sealed) VALUES ($1, 'account_change', $2, $3)";

/**
 * Queues the e-mail to the owner of an account that still exists, in the transaction of the change. The row contains only the
 * account's id and the change, so no encryption is needed. Any server with `SMTP_URL` sends the e-mail.
 */
export async function queueNotice(client: pg.Client, userId: string, change: AccountChange): Promise<void> {
  const id = newId();
  await client.query(QUEUE, [id, changeByCommand(userId, id, change), null]);
}

/** Queues the e-mail to the owner of an account that the same transaction removes. The row contains the encrypted address. */
export async function queueRemovalNotice(
  client: pg.Client,
  keys: KeyRing,
  owner: { readonly id: string; readonly email: string; readonly name: string | null },
): Promise<void> {
  const { id, subject, sealed } = sealedNotice(keys, {
    userId: owner.id,
    to: owner.email,
    name: owner.name,
    change: 'removed',
    at: new Date(),
    address: null,
    client: null,
  });
  await client.query(QUEUE, [id, subject, sealed]);
}

export interface CommandMail {
  /** The keys that encrypt an e-mail. Absent if sending e-mail is off or `PIN_SECRET` is missing. */
  readonly keys?: KeyRing;
  /** One line for the operator if sending e-mail is on but the e-mail cannot be queued. */
  readonly problem?: string;
}

/** Returns the keys that encrypt queued e-mails, from the environment of a command, or the problem; empty if e-mail is off. */
export function commandMail(environment: NodeJS.ProcessEnv): CommandMail {
  const { SMTP_URL, MAIL_FROM, PIN_SECRET, RESTORED_COPY } = environment;
  if (!SMTP_URL?.trim() || !MAIL_FROM?.trim() || RESTORED_COPY === 'true') return {};
  const [pinSecret, pinSecretBefore] = secretValues(PIN_SECRET);
  if (pinSecret === undefined)
    return { problem: 'No e-mail to its owner was queued: PIN_SECRET, which encrypts it, is not set here.' };
  return { keys: new KeyRing({ pinSecret, pinSecretBefore } as AppConfig) };
}
