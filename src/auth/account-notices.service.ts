import { Injectable } from '@nestjs/common';
import { requestAddress, requestClient } from '../common/http/request-context.js';
import type { Prisma } from '../data/generated/client.js';
import type { AccountChange } from '../mail/content/account-change.js';
import { Mailer } from '../mail/mailer.service.js';

/** E-mails the owner of an account when its sign-in methods change. */
@Injectable()
export class AccountNotices {
  constructor(private readonly mailer: Mailer) {}

  /** Call this function in the transaction of the change, before the account is deleted. Does nothing without `SMTP_URL`. */
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
