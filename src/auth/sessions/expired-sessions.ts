import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database, type Statement } from '../../data/database.js';

const PRUNE: readonly Statement[] = [
  { name: 'prune_session_revocations', text: 'DELETE FROM session_revocation WHERE expires_at < now()' },
  // Kept some days after they expire, so that a copied token that is used late is still recognized.
  {
    name: 'prune_refresh_tokens',
    text: "DELETE FROM refresh_token WHERE expires_at < now() - interval '7 days'",
  },
  { name: 'prune_terminal_codes', text: 'DELETE FROM terminal_code WHERE expires_at < now()' },
  { name: 'prune_sign_in_codes', text: 'DELETE FROM sign_in_code WHERE expires_at < now()' },
  // An invitation that nobody took up is shown as too old for some weeks.
  {
    name: 'prune_invitations',
    text: "DELETE FROM admin_invitation WHERE expires_at < now() - interval '30 days'",
  },
];

/** Deletes expired revocations, refresh tokens, one-time codes and invitations. */
@Injectable()
export class ExpiredSessions {
  constructor(private readonly database: Database) {}

  @Cron('17 * * * *')
  async prune(): Promise<void> {
    for (const statement of PRUNE) await this.database.query(statement);
  }
}
