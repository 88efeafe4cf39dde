import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConflictError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import { ADMINS_LOCK, transactionLock } from '../data/advisory-locks.js';
import type { Prisma } from '../data/generated/client.js';
import { lock } from '../data/prisma.service.js';
import { layered } from '../settings/stored-settings.js';
import { SettingsService } from '../settings/settings.service.js';

/**
 * Ensures that at least one admin can sign in. Changes that could remove the last admin run one after another, and each change
 * checks afterwards in the same transaction. So if two admins remove each other at the same time, only one of them succeeds.
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
      await this.lockAdmins(tx);
      if (!(await this.oneSignsIn(tx, false)))
        throw new ConflictError(
          'PASSWORD_SIGN_IN_NEEDED',
          'Passwords can be switched off only while an admin signs in with the identity provider',
        );
    });
  }

  /** Call this function first in a transaction that changes which admins can sign in. */
  async lockAdmins(tx: Prisma.TransactionClient): Promise<void> {
    await lock(tx, transactionLock(ADMINS_LOCK));
  }

  /**
   * Refuses a change after which no admin can sign in. Call it after the change, before the commit.
   * @throws ConflictError LAST_ADMIN
   */
  async assertOneLeft(tx: Prisma.TransactionClient): Promise<void> {
    const { auth } = layered(await this.settings.storedIn(tx));
    const takesPasswords = auth.passwordSignIn || this.config.idp === undefined;
    if (!(await this.oneSignsIn(tx, takesPasswords)))
      throw new ConflictError(
        'LAST_ADMIN',
        'This is the last admin who can sign in; add another admin first',
      );
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
