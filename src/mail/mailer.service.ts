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
import type { OwnPageEmail } from './content/own-page-wording.js';
import type { ShownEmail } from './dto/email.dto.js';
import {
  ENQUEUE_CHARGE_FAILED,
  ENQUEUE_CHARGE_NOTICES,
  ENQUEUE_MISSING_ADDRESS,
  ENQUEUE_OWN_PAGE,
  ENQUEUE_PLEDGE_STEP,
  ENQUEUE_RECEIPT,
  ENQUEUE_REMINDER,
  ENQUEUE_TRANSFER,
  ENQUEUE_TRIBUTES,
  ENQUEUE_WEBHOOK_DISABLED,
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

/** A link to the donor's own page. */
export interface OwnPageLink {
  readonly donorKey: Buffer;
  readonly to: string;
  /** BCP 47: the language of the page on which the donor asked. */
  readonly locale: string;
  /** The address shows all gifts of the donor. So it is stored encrypted and deleted after the e-mail is sent. */
  readonly url: string;
  /** Null for an address that always works. */
  readonly expiresAt: Date | null;
}

/** Encrypted content of the row of such a link. */
export type SealedOwnPageLink = Omit<OwnPageLink, 'donorKey' | 'expiresAt'> & {
  readonly expiresAt: string | null;
};

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

  /**
   * Queues the e-mails to the persons whom tributes notify.
   * @returns the number of e-mails that were not queued before
   */
  async enqueueTributes(tx: Transaction, donationIds: readonly string[]): Promise<number> {
    const queued = await tx.query(ENQUEUE_TRIBUTES, [donationIds.map(() => newId()), donationIds]);
    this.wakeAfter(tx);
    return queued.length;
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

  /** Queues the notices before saved cards are charged. Without `SMTP_URL`, no card may be charged. */
  async enqueueChargeNotices(
    tx: Transaction,
    notices: readonly { readonly id: string; readonly subject: string; readonly pledgeId: string }[],
  ): Promise<void> {
    const ids = notices.map(({ id }) => id);
    const subjects = notices.map(({ subject }) => subject);
    await tx.query(ENQUEUE_CHARGE_NOTICES, [ids, subjects, notices.map(({ pledgeId }) => pledgeId)]);
    this.wakeAfter(tx);
  }

  /** Queues the e-mail with the link to pay, after the bank declined the charge of a saved card. */
  enqueueChargeFailed(tx: Transaction, pledgeId: string): void {
    if (!this.isOn) return;
    tx.write(ENQUEUE_CHARGE_FAILED, [newId(), pledgeId]);
    this.wakeAfter(tx);
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

  /** Queues the e-mails to administrators about a webhook endpoint that the server disabled. */
  enqueueWebhookDisabled(tx: Transaction, endpointId: string, adminIds: readonly string[]): void {
    if (!this.isOn) return;
    for (const adminId of adminIds) {
      const id = newId();
      tx.write(ENQUEUE_WEBHOOK_DISABLED, [id, `${adminId}:${endpointId}:${id}`]);
    }
    this.wakeAfter(tx);
  }

  /** Queues an e-mail with an address of the donor's own page. */
  enqueueOwnPage(tx: Transaction, kind: Exclude<OwnPageEmail, 'missing_address'>, link: OwnPageLink): void {
    const id = newId();
    tx.write(ENQUEUE_OWN_PAGE, [id, kind, `${link.donorKey.toString('hex')}:${id}`, this.sealOwnPage(link)]);
    this.wakeAfter(tx);
  }

  /**
   * Queues an e-mail that asks for the postal address.
   * @returns false if the donor got such an e-mail about the event in the last seven days
   */
  async enqueueMissingAddress(tx: Transaction, eventId: string, link: OwnPageLink): Promise<boolean> {
    const subject = `${link.donorKey.toString('hex')}:${eventId}`;
    const queued = await tx.query(ENQUEUE_MISSING_ADDRESS, [newId(), subject, this.sealOwnPage(link)]);
    if (queued.length > 0) this.wakeAfter(tx);
    return queued.length > 0;
  }

  private sealOwnPage({ donorKey: _key, expiresAt, ...said }: OwnPageLink): Buffer {
    const words: SealedOwnPageLink = { ...said, expiresAt: expiresAt?.toISOString() ?? null };
    return this.keys.seal('email-seal', JSON.stringify(words));
  }

  openOwnPageLink(sealed: Buffer): SealedOwnPageLink {
    return JSON.parse(this.keys.open('email-seal', sealed)) as SealedOwnPageLink;
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
