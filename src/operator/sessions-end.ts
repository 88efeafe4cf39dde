import { queueNotice } from './account-notices.js';
import { recordCommand, withClient } from './with-client.js';

export interface EndedSessions {
  /** The moment before which every token is worthless. */
  readonly endedBefore: Date;
  /** Sign-ins of admins and accountants that could still be renewed, as far as this database knows. */
  readonly renewable: number;
}

interface EndedFamily {
  readonly family_id: string;
  readonly admin_id: string;
  readonly open: boolean;
}

/**
 * Ends every sign-in there is, of admins, accountants and staff, for good. After a restore the database has forgotten
 * which sign-ins were ended since the backup, and which versions of sessions were given out: so no count of it can tell
 * them, but the time in the tokens can. Servers that run notice within two seconds, open sockets within fifteen.
 * The owner of each account with a sign-in that could be renewed gets an e-mail, from a server where e-mail is set up.
 */
export async function endSessions(databaseUrl: string): Promise<EndedSessions> {
  return withClient(databaseUrl, 'donations-sessions-end', async (client) => {
    await client.query('BEGIN');
    // A renewal that is under way holds the lock of its admin, and is over then.
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
    if (!epoch) throw new Error('The moment was not stored');
    const open = families.filter((family) => family.open);
    const renewable = new Set(open.map(({ family_id }) => family_id)).size;
    await recordCommand(client, 'session.end_all', null, { renewable });
    for (const adminId of new Set(open.map(({ admin_id }) => admin_id)))
      await queueNotice(client, adminId, 'sessionsEnded');
    await client.query('COMMIT');
    return { endedBefore: epoch.ended_before, renewable };
  });
}
