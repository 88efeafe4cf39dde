import { Injectable } from '@nestjs/common';
import { newId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { AppConfig } from '../config/app-config.js';
import type { Transaction } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { afterCommit } from '../data/prisma.service.js';
import {
  type AccountChangeNotice,
  type SealedAccountChange,
  sealedNotice,
} from './content/account-change.js';
import type { ShownEmail } from './dto/email.dto.js';
import { ENQUEUE_RECEIPT, REQUEST_RECEIPT } from './emails.sql.js';

/** A link by which somebody chooses a password. */
export interface PasswordLink {
  /** The account; a later invitation of the same account takes the place of one that still waits. */
  readonly userId: string;
  readonly to: string;
  readonly name: string | null;
  /** False for somebody who has an account and gets a link for another password. */
  readonly isNew: boolean;
  /** Whoever has it can set the password: kept sealed, and only until it is sent. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** What an invitation's row holds, sealed. */
export type SealedInvitation = Omit<PasswordLink, 'userId' | 'expiresAt'> & { readonly expiresAt: string };

/**
 * Where e-mails begin: a row in the transaction of the fact that they are about. The worker sends what is
 * committed; without `SMTP_URL` nothing is written.
 */
@Injectable()
export class Mailer {
  private readonly listeners = new Set<() => void>();

  /** Whether e-mail is set up. */
  readonly isOn: boolean;

  constructor(
    config: AppConfig,
    private readonly keys: KeyRing,
  ) {
    this.isOn = config.mail !== undefined;
  }

  /** The receipt of an online donation, once, unless the settings of its event are against it. */
  enqueueReceipt(tx: Transaction, donationId: string): void {
    if (!this.isOn) return;
    tx.write(ENQUEUE_RECEIPT, [newId(), donationId]);
    this.wakeAfter(tx);
  }

  /** The receipt because an admin asks for it: also of an offline donation, and once more. */
  async requestReceipt(tx: Transaction, donationId: string): Promise<ShownEmail> {
    const [row] = await tx.query<ShownEmail>(REQUEST_RECEIPT, [newId(), donationId]);
    if (!row) throw new Error('the e-mail was not written');
    this.wakeAfter(tx);
    return row;
  }

  /**
   * An invitation, or a link for another password; an older one for the same person waits no more: its link is void.
   * @returns whether it will be sent; false without `SMTP_URL`
   */
  async enqueueInvitation(
    tx: Prisma.TransactionClient,
    { userId, expiresAt, ...said }: PasswordLink,
  ): Promise<boolean> {
    if (!this.isOn) return false;
    const words: SealedInvitation = { ...said, expiresAt: expiresAt.toISOString() };
    const subject = `${userId}:${expiresAt.getTime()}`;
    await tx.email.deleteMany({
      where: {
        kind: 'invitation',
        subject: { startsWith: `${userId}:`, not: subject },
        state: { not: 'sent' },
      },
    });
    const sealed = this.keys.seal('email-seal', JSON.stringify(words));
    const data = [{ id: newId(), kind: 'invitation' as const, subject, sealed }];
    await tx.email.createMany({ data, skipDuplicates: true });
    this.wakeAfter(tx);
    return true;
  }

  /** A change of how an account is entered, for its owner. */
  async enqueueAccountChange(tx: Prisma.TransactionClient, notice: AccountChangeNotice): Promise<void> {
    if (!this.isOn) return;
    await tx.email.create({ data: { kind: 'account_change', ...sealedNotice(this.keys, notice) } });
    this.wakeAfter(tx);
  }

  openAccountChange(sealed: Buffer): SealedAccountChange {
    return JSON.parse(this.keys.open('email-seal', sealed)) as SealedAccountChange;
  }

  openInvitation(sealed: Buffer): SealedInvitation {
    return JSON.parse(this.keys.open('email-seal', sealed)) as SealedInvitation;
  }

  /** Called after the commit of something new. */
  onQueued(listener: () => void): void {
    this.listeners.add(listener);
  }

  wake(): void {
    for (const listener of this.listeners) listener();
  }

  private wakeAfter(tx: Transaction | Prisma.TransactionClient): void {
    const wake = () => {
      this.wake();
    };
    if ('afterCommit' in tx) tx.afterCommit(wake);
    else afterCommit(tx, wake);
  }
}
