import { queueNotice } from './account-notices.js';
import { recordCommand, withClient } from './with-client.js';

export interface EndedSessions {
  /** All tokens made before this time are invalid. */
  readonly endedBefore: Date;
  /** Number of ended sessions of admins and accountants that could still be renewed, according to this database. */
  readonly renewable: number;
}

interface EndedFamily {
  readonly family_id: string;
  readonly admin_id: string;
  readonly open: boolean;
}

/**
 * Ends all sessions of admins, accountants and staff permanently. A restored database lacks the sessions that were ended and
 * the session versions that were issued since the backup. Only the time in the tokens is reliable. Running servers notice the
 * end within two seconds, open sockets within fifteen. If the servers can send e-mail, the owner of each account with a
 * renewable session gets an e-mail.
 */
export async function endSessions(databaseUrl: string): Promise<EndedSessions> {
  return withClient(databaseUrl, 'donations-sessions-end', async (client) => {
    await client.query('BEGIN');
    // Waits for running renewals, because each renewal locks the row of its admin.
    await client.query('SELECT 1 FROM admin ORDER BY id FOR UPDATE');
    const { rows: families } = await client.query<EndedFamily>(
      'UPDATE refresh_token SET revoked_at = now() WHERE revoked_at IS NULL RETURNING family_id, admin_id, expires_at > now() AS open',
    );
    await client.query('DELETE FROM sign_in_code');
    const { rows } = await client.query<{ ended_before: Date }>(
      `INSERT INTO session_epoch (id, ended_before) VALUES (1, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET ended_before = greatest(session_epoch.ended_before, excluded.ended_before)
       RETURNING ended_before`,
    );
    const [epoch] = rows;
    if (!epoch) throw new Error('The time was not stored');
    const open = families.filter((family) => family.open);
    const renewable = new Set(open.map(({ family_id }) => family_id)).size;
    await recordCommand(client, 'session.end_all', null, { renewable });
    for (const adminId of new Set(open.map(({ admin_id }) => admin_id)))
      await queueNotice(client, adminId, 'sessionsEnded');
    await client.query('COMMIT');
    return { endedBefore: epoch.ended_before, renewable };
  });
}
