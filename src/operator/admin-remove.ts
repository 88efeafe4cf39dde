import { comparableEmails } from '../common/text/email-address.js';
import { recordCommand, withClient } from './with-client.js';

/**
 * Removes the account of an admin or accountant: password, sessions, and binding to an identity of the provider end
 * with it. What the account did stays on record under its id.
 * @returns whether there was one
 */
export async function removeAdmin(databaseUrl: string, email: string): Promise<boolean> {
  return withClient(databaseUrl, 'donations-admin-remove', async (client) => {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string; role: string }>(
      'DELETE FROM admin WHERE email = ANY($1) RETURNING id, role',
      [comparableEmails(email)],
    );
    const [admin] = rows;
    if (admin) await recordCommand(client, 'admin.remove', admin.id, { role: admin.role });
    await client.query('COMMIT');
    return admin !== undefined;
  });
}
