import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import {
  ConflictError,
  InvalidInputError,
  NotFoundError,
  UnavailableError,
} from '../common/errors/domain-errors.js';
import { isId, newId } from '../common/crypto/ids.js';
import type { SqlExecutor } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { afterCommit, PrismaService } from '../data/prisma.service.js';
import { SettingsService } from '../settings/settings.service.js';
import { testEmail } from './content/charity-emails.js';
import {
  type EmailDto,
  type EmailListDto,
  type ListEmailsDto,
  type TestEmailDto,
  toEmail,
} from './dto/email.dto.js';
import { EMAIL_KINDS, EMAIL_STATES } from './email-kinds.js';
import { ERASE_OWN_PAGE, ERASE_UNSENT } from './emails.sql.js';
import { Mailer } from './mailer.service.js';
import { smtpFailure } from './smtp-errors.js';
import { Smtp } from './smtp.service.js';

const DEFAULT_LIMIT = 50;
const SHOWN = {
  id: true,
  kind: true,
  donationId: true,
  state: true,
  attempts: true,
  lastError: true,
  createdAt: true,
  nextAttemptAt: true,
  sentAt: true,
} as const satisfies Prisma.EmailSelect;
/**
 * Excludes kinds and states of newer releases, because a row with an unknown value would make Prisma fail for the whole list.
 */
const KNOWN = { kind: { in: [...EMAIL_KINDS] }, state: { in: [...EMAIL_STATES] } };

/** The story of a donation of a rehearsal shows its e-mails. */
const OF_REAL_EVENTS = {
  OR: [{ donationId: null }, { donation: { event: { rehearsalOf: null } } }],
} satisfies Prisma.EmailWhereInput;

/** The list of e-mails, and the test e-mail of the settings. */
@Injectable()
export class EmailsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly mailer: Mailer,
    private readonly smtp: Smtp,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
  ) {}

  /** Returns a page of e-mails, newest first. */
  async list({ state, limit = DEFAULT_LIMIT, cursor }: ListEmailsDto): Promise<EmailListDto> {
    if (cursor && !isId(cursor))
      throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
    const { email } = await this.prisma.client();
    const rows = await email.findMany({
      where: { ...KNOWN, ...OF_REAL_EVENTS, ...(state && { state }), ...(cursor && { id: { lt: cursor } }) },
      orderBy: { id: 'desc' },
      take: limit + 1,
      select: SHOWN,
    });
    const data = rows.slice(0, limit).map(toEmail);
    return {
      data,
      isOn: this.mailer.isOn,
      nextCursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null,
    };
  }

  /** Returns the e-mails about these donations, oldest first. */
  async ofDonations(donationIds: readonly string[]): Promise<EmailDto[]> {
    if (donationIds.length === 0) return [];
    const { email } = await this.prisma.client();
    const where = { ...KNOWN, donationId: { in: [...donationIds] } };
    return (await email.findMany({ where, orderBy: { id: 'asc' }, select: SHOWN })).map(toEmail);
  }

  /**
   * Queues an unsent e-mail again.
   * @throws NotFoundError `EMAIL_NOT_FOUND`, ConflictError `EMAIL_SENT`, UnavailableError `MAIL_OFF`
   */
  async retry(caller: Principal, id: string): Promise<EmailDto> {
    if (!isId(id)) throw noSuchEmail();
    this.assertOn();
    return await this.prisma.transaction(async (tx) => {
      const [row] = await tx.email.updateManyAndReturn({
        where: { ...KNOWN, id, state: { not: 'sent' } },
        data: { state: 'queued', attempts: 0, nextAttemptAt: new Date(), lastError: null },
        select: SHOWN,
      });
      if (!row) {
        const known = await tx.email.findUnique({ where: { id }, select: { id: true } });
        throw known ? new ConflictError('EMAIL_SENT', 'The e-mail was already sent') : noSuchEmail();
      }
      await this.audit.record(actorOf(caller), 'email.retry', id, {}, tx);
      afterCommit(tx, () => {
        this.mailer.wake();
      });
      return toEmail(row);
    });
  }

  /**
   * Sends a test e-mail immediately.
   * @throws UnavailableError `MAIL_OFF` without `SMTP_URL`; `MAIL_NOT_SENT` with the message of the mail server
   */
  async test(caller: Principal, { to }: TestEmailDto): Promise<{ sent: true }> {
    this.assertOn();
    const settings = await this.settings.global();
    await this.audit.record(actorOf(caller), 'settings.test_email', null);
    try {
      const email = testEmail(settings, settings.locales.default);
      await this.smtp.send({ ...email, to, organization: settings.organization }, newId());
    } catch (error) {
      throw new UnavailableError(
        'MAIL_NOT_SENT',
        `The mail server did not accept the e-mail: ${smtpFailure(error).says}`,
      );
    }
    return { sent: true };
  }

  /** @throws UnavailableError `MAIL_OFF` */
  assertOn(): void {
    if (!this.mailer.isOn)
      throw new UnavailableError('MAIL_OFF', 'E-mail is not set up: SMTP_URL is not set', 3_600);
  }

  /**
   * Deletes the unsent e-mails of these donations, with the stored errors of the mail server, which can contain the
   * donor's address.
   */
  async eraseOf(db: SqlExecutor, donationIds: readonly string[]): Promise<void> {
    await db.query(ERASE_UNSENT, [[...donationIds]]);
  }

  /** Deletes the e-mails with links to the own page of a donor. */
  async eraseOwnPage(db: SqlExecutor, donorKey: Buffer): Promise<void> {
    await db.query(ERASE_OWN_PAGE, [donorKey.toString('hex')]);
  }
}

const noSuchEmail = () => new NotFoundError('EMAIL_NOT_FOUND', 'There is no such e-mail');
