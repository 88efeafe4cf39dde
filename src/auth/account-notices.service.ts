import { Injectable } from '@nestjs/common';
import { requestAddress, requestClient } from '../common/http/request-context.js';
import type { Prisma } from '../data/generated/client.js';
import type { AccountChange } from '../mail/content/account-change.js';
import { Mailer } from '../mail/mailer.service.js';

/** Tells the owner of an account by e-mail that the way it is entered has changed. */
@Injectable()
export class AccountNotices {
  constructor(private readonly mailer: Mailer) {}

  /** In the transaction of the change, before the account is removed. Without `SMTP_URL` nothing is written. */
  async send(tx: Prisma.TransactionClient, adminId: string, change: AccountChange): Promise<void> {
    if (!this.mailer.isOn) return;
    const owner = await tx.admin.findUnique({ where: { id: adminId }, select: { email: true, name: true } });
    if (!owner) return;
    await this.mailer.enqueueAccountChange(tx, {
      userId: adminId,
      to: owner.email,
      name: owner.name,
      change,
      at: new Date(),
      address: requestAddress() ?? null,
      client: requestClient() ?? null,
    });
  }
}
