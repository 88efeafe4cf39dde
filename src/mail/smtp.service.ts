import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { within } from '../common/concurrency/within.js';
import { emailProblem } from '../common/text/email-address.js';
import { AppConfig } from '../config/app-config.js';
import type { Email } from './content/email-layout.js';

/** An e-mail with its recipient. */
export interface OutgoingEmail extends Email {
  readonly to: string;
  /** Name of the sender, if MAIL_FROM contains only an address. */
  readonly organization: string;
  readonly attachments?: readonly EmailAttachment[];
  /** Address that ends such e-mails by one POST (RFC 8058), for the button of the mail program. */
  readonly unsubscribeUrl?: string;
}

export interface EmailAttachment {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** Content id that the HTML uses to show the attachment. */
  readonly contentId?: string;
}

/** The address is invalid, so no mail server was contacted. */
export class NoAddressError extends Error {}

/** The mail server of the charity. */
@Injectable()
export class Smtp implements OnApplicationShutdown {
  private transport: Transporter | undefined;

  constructor(private readonly config: AppConfig) {}

  /**
   * Resolves when the mail server has accepted the e-mail.
   * @param key the same for every try of one e-mail, so that mailboxes recognize duplicates
   * @throws NoAddressError, or an error of nodemailer, which `smtpFailure` reads
   */
  async send({ to, organization, ...email }: OutgoingEmail, key: string): Promise<void> {
    const { mail, mailTimes } = this.config;
    if (!mail) throw new Error('E-mail is not set up');
    if (emailProblem(to) !== undefined) throw new NoAddressError('The e-mail address is invalid');
    const { name = organization, address } = mail.from;
    const connection = await this.connection();
    const sent = connection.sendMail({
      from: { name: plain(name), address },
      // Only the address is sent, so that headers do not contain names of donors.
      to: { name: '', address: to },
      subject: plain(email.subject),
      text: email.text,
      html: email.html,
      messageId: `<${key}@${address.slice(address.lastIndexOf('@') + 1)}>`,
      // These headers prevent automatic out-of-office replies.
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        ...(email.unsubscribeUrl !== undefined && {
          'List-Unsubscribe': `<${email.unsubscribeUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
      attachments: (email.attachments ?? []).map(({ fileName, contentType, content, contentId }) => ({
        filename: fileName,
        contentType,
        content,
        ...(contentId === undefined ? {} : { cid: contentId }),
      })),
    });
    await within(mailTimes.sendMs, sent, () => {
      this.close();
      return new Error('The mail server did not answer in time');
    });
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private async connection(): Promise<Transporter> {
    // The module is loaded with the first e-mail.
    const { createTransport } = await import('nodemailer');
    const { mail, mailTimes } = this.config;
    if (this.transport) return this.transport;
    this.transport = createTransport({
      url: mail?.url,
      pool: true,
      maxConnections: 1,
      maxMessages: 100,
      connectionTimeout: mailTimes.connectMs,
      greetingTimeout: mailTimes.connectMs,
      socketTimeout: mailTimes.answerMs,
      // These options prevent nodemailer from reading content of an e-mail from a file or a web address.
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<typeof createTransport>[0]);
    // This listener ignores errors of an idle connection. An error during sending rejects the promise instead.
    this.transport.on('error', () => undefined);
    return this.transport;
  }

  private close(): void {
    this.transport?.close();
    this.transport = undefined;
  }
}

/** Returns the text in one line without control characters, so that the text cannot start another header. */
const plain = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
