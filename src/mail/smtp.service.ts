import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { emailProblem } from '../common/text/email-address.js';
import { AppConfig } from '../config/app-config.js';
import type { Email } from './content/email-layout.js';

/** An e-mail with whom it goes to. */
export interface OutgoingEmail extends Email {
  readonly to: string;
  /** Who it is from, where MAIL_FROM names nobody. */
  readonly organization: string;
  readonly attachments?: readonly EmailAttachment[];
}

export interface EmailAttachment {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** Shown in the text, by this name. */
  readonly contentId?: string;
}

/** An address that no mail server needs to be asked about. */
export class NoAddressError extends Error {}

/** The mail server of the charity. */
@Injectable()
export class Smtp implements OnApplicationShutdown {
  private transport: Transporter | undefined;

  constructor(private readonly config: AppConfig) {}

  /**
   * Resolves when the server has taken the e-mail: from then on it is the server's.
   * @param key the same for every try of one e-mail, so that a mailbox can tell that it has it
   * @throws Error of nodemailer's kind, which `smtpFailure` reads; NoAddressError
   */
  async send({ to, organization, ...email }: OutgoingEmail, key: string): Promise<void> {
    const { mail, mailTimes } = this.config;
    if (!mail) throw new Error('E-mail is not set up');
    if (emailProblem(to) !== undefined) throw new NoAddressError('The address is none');
    const { name = organization, address } = mail.from;
    const connection = await this.connection();
    const sent = connection.sendMail({
      from: { name: plain(name), address },
      // The address alone: what donors call themselves stays out of headers.
      to: { name: '', address: to },
      subject: plain(email.subject),
      text: email.text,
      html: email.html,
      messageId: `<${key}@${address.slice(address.lastIndexOf('@') + 1)}>`,
      // No holiday notices back.
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      attachments: (email.attachments ?? []).map(({ fileName, contentType, content, contentId }) => ({
        filename: fileName,
        contentType,
        content,
        ...(contentId === undefined ? {} : { cid: contentId }),
      })),
    });
    await within(mailTimes.sendMs, sent, () => {
      this.close();
    });
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private async connection(): Promise<Transporter> {
    // Loaded with the first e-mail.
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
      // Nothing in an e-mail is ever read from a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<typeof createTransport>[0]);
    // Of an idle connection; that of an e-mail rejects its promise.
    this.transport.on('error', () => undefined);
    return this.transport;
  }

  private close(): void {
    this.transport?.close();
    this.transport = undefined;
  }
}

/** One line without control characters: nothing that could begin another header. */
const plain = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  onLate: () => void,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(new Error('The mail server took too long'));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
