import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConflictError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import type { SqlExecutor, Transaction } from '../data/database.js';
import { layered } from '../settings/stored-settings.js';
import { SettingsService } from '../settings/settings.service.js';
import { COUNT_ADMINS, LOCK_ADMINS } from './users.sql.js';

/**
 * Sees to it that an admin who can sign in is always left. Changes that could take the last one away stand in line and
 * count after the change, in its transaction: two admins who remove each other at once cannot both succeed.
 */
@Injectable()
export class LastAdmin implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly settings: SettingsService,
  ) {}

  onModuleInit(): void {
    this.settings.beforeChange(async (tx, { before, after }) => {
      if (!before.auth.passwordSignIn || after.auth.passwordSignIn) return;
      await this.stand(tx);
      if ((await this.count(tx, false)) === 0)
        throw new ConflictError(
          'PASSWORD_SIGN_IN_NEEDED',
          'Passwords can be switched off only while an admin signs in with the identity provider',
        );
    });
  }

  /** First in a transaction that changes who can sign in as an admin. */
  async stand(tx: Transaction): Promise<void> {
    await tx.query(LOCK_ADMINS);
  }

  /**
   * After the change, before the commit.
   * @throws ConflictError LAST_ADMIN
   */
  async refuseNone(tx: Transaction): Promise<void> {
    const { auth } = layered(await this.settings.storedIn(tx));
    const takesPasswords = auth.passwordSignIn || this.config.idp === undefined;
    if ((await this.count(tx, takesPasswords)) === 0)
      throw new ConflictError('LAST_ADMIN', 'Nobody else could sign in as an admin any more');
  }

  private async count(executor: SqlExecutor, takesPasswords: boolean): Promise<number> {
    const issuer = this.config.idp?.issuer.href ?? null;
    const [row] = await executor.query<{ admins: number }>(COUNT_ADMINS, [takesPasswords, issuer]);
    return row?.admins ?? 0;
  }
}
