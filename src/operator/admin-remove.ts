import { comparableEmails } from '../common/text/email-address.js';
import type { KeyRing } from '../common/crypto/key-ring.js';
import { queueRemovalNotice } from './account-notices.js';
import { recordCommand, withClient } from './with-client.js';

interface RemovedAdmin {
  readonly id: string;
  readonly role: string;
  readonly email: string;
  readonly name: string | null;
}

/**
 * Removes the account of an admin or accountant, with its password, its sessions and its binding to a provider identity. Audit
 * entries keep the id of the account.
 * @param keys encrypt the e-mail to the owner, which is queued in the same transaction; without keys, no e-mail is queued
 * @returns false if no account has this e-mail address
 */
export async function removeAdmin(databaseUrl: string, email: string, keys?: KeyRing): Promise<boolean> {
  return withClient(databaseUrl, 'donations-admin-remove', async (client) => {
    await client.query('BEGIN');
    const { rows } = await client.query<RemovedAdmin>(
      'DELETE FROM admin WHERE email = ANY($1) RETURNING id, role, email, name',
      [comparableEmails(email)],
    );
    const [admin] = rows;
    if (admin) {
      await recordCommand(client, 'admin.remove', admin.id, { role: admin.role });
      if (keys) await queueRemovalNotice(client, keys, admin);
    }
    await client.query('COMMIT');
    return admin !== undefined;
  });
}
