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
import {
  ENQUEUE_PLEDGE_STEP,
  ENQUEUE_RECEIPT,
  ENQUEUE_REMINDER,
  ENQUEUE_TRANSFER,
  REQUEST_RECEIPT,
} from './emails.sql.js';

/** A link to choose a password. */
export interface PasswordLink {
  /** The account. A new invitation for the account replaces its queued invitation. */
  readonly userId: string;
  readonly to: string;
  readonly name: string | null;
  /** False for an existing account that gets a link to reset its password. */
  readonly isNew: boolean;
  /** The address gives access to the account. So it is stored encrypted and deleted after the e-mail is sent. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** Encrypted content of an invitation's row. */
export type SealedInvitation = Omit<PasswordLink, 'userId' | 'expiresAt'> & { readonly expiresAt: string };

/**
 * Queues e-mails: one row for each e-mail, in the transaction that causes the e-mail. The worker sends the rows after the
 * commit. Without `SMTP_URL`, no rows are written.
 */
@Injectable()
export class Mailer {
  private readonly listeners = new Set<() => void>();

  /** True if e-mail is configured. */
  readonly isOn: boolean;

  constructor(
    config: AppConfig,
    private readonly keys: KeyRing,
  ) {
    this.isOn = config.mail !== undefined;
  }

  /**
   * Queues the receipt of an online donation. A donation has only one such e-mail, and none if the event's settings exclude it.
   */
  enqueueReceipt(tx: Transaction, donationId: string): void {
    if (!this.isOn) return;
    tx.write(ENQUEUE_RECEIPT, [newId(), donationId]);
    this.wakeAfter(tx);
  }

  /** Queues the bank details for a donor who pays by transfer. A donation has only one such e-mail. */
  enqueueTransferDetails(tx: Transaction, donationId: string): void {
    if (!this.isOn) return;
    tx.write(ENQUEUE_TRANSFER, [newId(), donationId]);
    this.wakeAfter(tx);
  }

  /** Queues a receipt that an admin requests. This is also possible for an offline donation, and several times. */
  async requestReceipt(tx: Transaction, donationId: string): Promise<ShownEmail> {
    const [row] = await tx.query<ShownEmail>(REQUEST_RECEIPT, [newId(), donationId]);
    if (!row) throw new Error('The e-mail was not queued');
    this.wakeAfter(tx);
    return row;
  }

  /**
   * Queues the reminder of a pledge that an admin requests.
   * @param delayMs time until the e-mail may be sent
   * @returns the id of the e-mail; undefined if such a reminder of the pledge waits or was sent in the last 24 hours
   */
  async enqueueReminder(tx: Transaction, donationId: string, delayMs: number): Promise<string | undefined> {
    const [queued] = await tx.query<{ id: string }>(ENQUEUE_REMINDER, [
      newId(),
      donationId,
      `${Math.round(delayMs)} milliseconds`,
    ]);
    this.wakeAfter(tx);
    return queued?.id;
  }

  /**
   * Queues an e-mail of the schedule about a pledge. Throws a unique violation if the pledge had an e-mail of this step.
   * @returns the id of the e-mail
   */
  async enqueuePledgeStep(
    tx: Transaction,
    kind: 'pledge_thanks' | 'pledge_reminder' | 'pledge_last',
    donationId: string,
    step: string,
  ): Promise<string> {
    const id = newId();
    await tx.query(ENQUEUE_PLEDGE_STEP, [id, kind, donationId, step]);
    this.wakeAfter(tx);
    return id;
  }

  /**
   * Queues an invitation or a password reset. Deletes an older queued e-mail of the same account, because its link is no longer
   * valid.
   * @returns true if the e-mail will be sent; false without `SMTP_URL`
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

  /** Queues an e-mail to the owner of an account about a change of the sign-in. */
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

  /** Calls the listener after each commit that queued an e-mail. */
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
