import { Injectable } from '@nestjs/common';
import { requestAddress, requestClient } from '../common/http/request-context.js';
import type { Transaction } from '../data/database.js';
import { type AccountChange, OWNER } from '../mail/content/account-change.js';
import { Mailer } from '../mail/mailer.service.js';

/** Tells the owner of an account by e-mail that the way it is entered has changed. */
@Injectable()
export class AccountNotices {
  constructor(private readonly mailer: Mailer) {}

  /** In the transaction of the change, before the account is removed. Without `SMTP_URL` nothing is written. */
  async send(tx: Transaction, adminId: string, change: AccountChange): Promise<void> {
    if (!this.mailer.isOn) return;
    const [owner] = await tx.query<{ email: string; name: string | null }>(OWNER, [adminId]);
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
