import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConflictError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import { ADMINS_LOCK, transactionLock } from '../data/advisory-locks.js';
import type { Prisma } from '../data/generated/client.js';
import { lock } from '../data/prisma.service.js';
import { layered } from '../settings/stored-settings.js';
import { SettingsService } from '../settings/settings.service.js';

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
      if (!(await this.oneSignsIn(tx, false)))
        throw new ConflictError(
          'PASSWORD_SIGN_IN_NEEDED',
          'Passwords can be switched off only while an admin signs in with the identity provider',
        );
    });
  }

  /** First in a transaction that changes who can sign in as an admin. */
  async stand(tx: Prisma.TransactionClient): Promise<void> {
    await lock(tx, transactionLock(ADMINS_LOCK));
  }

  /**
   * After the change, before the commit.
   * @throws ConflictError LAST_ADMIN
   */
  async refuseNone(tx: Prisma.TransactionClient): Promise<void> {
    const { auth } = layered(await this.settings.storedIn(tx));
    const takesPasswords = auth.passwordSignIn || this.config.idp === undefined;
    if (!(await this.oneSignsIn(tx, takesPasswords)))
      throw new ConflictError('LAST_ADMIN', 'Nobody else could sign in as an admin any more');
  }

  private async oneSignsIn(tx: Prisma.TransactionClient, takesPasswords: boolean): Promise<boolean> {
    const issuer = this.config.idp && comparableIssuer(this.config.idp.issuer.href);
    const admins = await tx.admin.findMany({
      where: { role: 'ADMIN', disabledAt: null },
      select: { passwordHash: true, idpIssuer: true },
    });
    return admins.some(
      ({ passwordHash, idpIssuer }) =>
        (takesPasswords && passwordHash !== null) ||
        (idpIssuer !== null && comparableIssuer(idpIssuer) === issuer),
    );
  }
}

const comparableIssuer = (issuer: string): string => issuer.replace(/\/+$/, '');
