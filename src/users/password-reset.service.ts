import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { KNOWN_ROLE, lockAdmin } from '../auth/known-admin.js';
import { SignInMethods } from '../auth/sign-in-methods.service.js';
import { SYSTEM } from '../common/access/principal.js';
import { TooManyRequestsError, UnavailableError } from '../common/errors/domain-errors.js';
import { clientAddress } from '../common/http/client-address.js';
import { comparableEmails } from '../common/text/email-address.js';
import { PrismaService } from '../data/prisma.service.js';
import { Counters } from '../redis/counters.js';
import { InvitationLinks } from './invitations.service.js';

const HOUR_SECONDS = 3_600;
/** Requests of one address in an hour, for known and unknown accounts. */
const OF_ADDRESS = 10;
/** E-mails to one account in an hour. Further requests send nothing, and the last link stays valid. */
const OF_ACCOUNT = 3;

/** Sends the owner of an account a link for a new password. */
@Injectable()
export class PasswordReset implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Access');
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly methods: SignInMethods,
    private readonly links: InvitationLinks,
    private readonly counters: Counters,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns before the account is looked up. So answer and time are the same for every e-mail address.
   * @param ip of the client
   * @throws ForbiddenError PASSWORD_SIGN_IN_OFF, UnavailableError MAIL_OFF, TooManyRequestsError RESET_LIMIT
   */
  async request(email: string, ip: string | undefined): Promise<void> {
    await this.methods.requirePassword();
    if (!this.methods.canReset)
      throw new UnavailableError('MAIL_OFF', 'E-mail is not set up: SMTP_URL is not set', HOUR_SECONDS);
    const key = `password-reset:address:${clientAddress(ip)}`;
    const { allowed, resetSeconds } = await this.counters.hit(key, OF_ADDRESS, HOUR_SECONDS);
    if (!allowed)
      throw new TooManyRequestsError(
        resetSeconds,
        'RESET_LIMIT',
        'Too many requests for a new password; try again later',
      );
    const sending = this.send(email)
      .catch((error: unknown) => this.logger.error({ msg: 'Password reset failed', err: error }))
      .finally(() => this.running.delete(sending));
    this.running.add(sending);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
  }

  /** An account that only the identity provider signs in gets no link, because a password would be a second way in. */
  private async send(email: string): Promise<void> {
    const { admin } = await this.prisma.client();
    const user = await admin.findFirst({
      where: {
        email: { in: [...comparableEmails(email)] },
        passwordHash: { not: null },
        disabledAt: null,
        role: KNOWN_ROLE,
      },
      select: { id: true, email: true, name: true },
    });
    if (!user) {
      await this.audit.record(SYSTEM, 'admin.request_reset', null);
      return;
    }
    const key = `password-reset:account:${user.id}`;
    if (!(await this.counters.hit(key, OF_ACCOUNT, HOUR_SECONDS)).allowed) return;
    const link = await this.prisma.transaction(async (tx) => {
      await lockAdmin(tx, user.id);
      await this.audit.record(SYSTEM, 'admin.request_reset', user.id, {}, tx);
      return await this.links.issue(tx, user.id, 'reset');
    });
    await this.links.send(user, link, false);
  }
}
