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
  { name: 'prune_sign_in_codes', text: 'DELETE FROM sign_in_code WHERE expires_at < now()' },
];

/** Deletes expired revocations, refresh tokens and sign-in codes. */
@Injectable()
export class ExpiredSessions {
  constructor(private readonly database: Database) {}

  @Cron('17 * * * *')
  async prune(): Promise<void> {
    for (const statement of PRUNE) await this.database.query(statement);
  }
}
