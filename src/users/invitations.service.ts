import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { AccountNotices } from '../auth/account-notices.service.js';
import { forgetInvitations, KNOWN_ROLE, lockAdmin } from '../auth/known-admin.js';
import { hashNewPassword } from '../auth/password-change.service.js';
import { AdminSessions } from '../auth/sessions/admin-sessions.service.js';
import { SignInMethods } from '../auth/sign-in-methods.service.js';
import { Audit } from '../audit/audit.js';
import { actorOf } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import type { AcceptInvitation, InvitationAccepted } from './dto/user.dto.js';

const INVITATION_MS = 72 * 3_600_000;
/**
 * Lifetime of a link for a password reset. It is shorter than for an invitation, because the owner of the
 * account waits for the e-mail.
 */
const RESET_MS = 30 * 60_000;

/** Content of an invitation e-mail. */
export interface Invitation {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  /** Anyone with this link can set the account's password. So the link is never logged or stored in clear text. */
  readonly inviteUrl: string;
  readonly expiresAt: Date;
  /** False if the account already existed and the user needs a new password. */
  readonly isNew: boolean;
}

/** Sends invitations by e-mail. The mail module provides the implementation globally as `INVITATION_MAIL`. */
export interface InvitationMail {
  /**
   * Sends an invitation. Called after the commit.
   * @returns true if an e-mail was queued
   */
  send(invitation: Invitation): Promise<boolean>;
}

export const INVITATION_MAIL = Symbol('mail of invitations');

/** A new link. The token in the link is not stored anywhere in clear text. */
export interface IssuedLink {
  readonly inviteUrl: string;
  readonly expiresAt: Date;
}

/** Creates links with which users set their passwords. An account has at most one valid link, and each link works once. */
@Injectable()
export class InvitationLinks {
  private readonly logger = new Logger('Access');

  constructor(
    private readonly config: AppConfig,
    @Optional() @Inject(INVITATION_MAIL) private readonly mail: InvitationMail | undefined,
  ) {}

  /**
   * Creates a link. Earlier links of the account become invalid.
   * @param purpose `invite`: from an admin, for 72 hours; `reset`: requested by the owner, for 30 minutes
   */
  async issue(
    tx: Prisma.TransactionClient,
    userId: string,
    purpose: 'invite' | 'reset' = 'invite',
  ): Promise<IssuedLink> {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + (purpose === 'reset' ? RESET_MS : INVITATION_MS));
    await forgetInvitations(tx, userId);
    await tx.adminInvitation.create({ data: { tokenDigest: digest(token), adminId: userId, expiresAt } });
    return { inviteUrl: `${this.config.publicUrl}/admin#${purpose}=${token}`, expiresAt };
  }

  /**
   * Sends the link by e-mail. Call this function after the commit.
   * @returns true if an e-mail was queued; the response contains the link in any case
   */
  async send(
    user: { readonly id: string; readonly email: string; readonly name: string | null },
    link: IssuedLink,
    isNew: boolean,
  ): Promise<boolean> {
    if (!this.mail) return false;
    try {
      return await this.mail.send({
        userId: user.id,
        email: user.email,
        name: user.name,
        isNew,
        ...link,
      });
    } catch (error) {
      this.logger.warn(`Invitation e-mail to user ${user.id} failed: ${(error as Error).message}`);
      return false;
    }
  }
}

/** Accepts invitation links. */
@Injectable()
export class Invitations {
  constructor(
    private readonly prisma: PrismaService,
    private readonly methods: SignInMethods,
    private readonly sessions: AdminSessions,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * Sets the password and ends earlier sessions. If the account has a second factor, it stays and is still required.
   * @throws NotFoundError INVITATION_NOT_FOUND for an unknown, used, replaced or expired link
   * @throws InvalidInputError PASSWORD_TOO_WEAK; the link stays valid
   * @throws ForbiddenError PASSWORD_SIGN_IN_OFF
   */
  async accept({ token, password }: AcceptInvitation): Promise<InvitationAccepted> {
    await this.methods.requirePassword();
    const { adminInvitation } = await this.prisma.client();
    const tokenDigest = digest(token);
    const invited = await adminInvitation.findUnique({
      where: { tokenDigest, ...good() },
      select: { admin: { select: { id: true, email: true, passwordHash: true } } },
    });
    if (!invited) throw invitationNotFound();
    const { id, email, passwordHash: before } = invited.admin;
    const action = before === null ? 'admin.accept_invitation' : 'admin.reset_password';
    const passwordHash = await hashNewPassword(password, email);
    return await this.prisma.transaction(async (tx) => {
      await lockAdmin(tx, id);
      // Only one of two simultaneous requests changes the row.
      const used = await tx.adminInvitation.updateMany({
        where: { tokenDigest, ...good() },
        data: { acceptedAt: new Date() },
      });
      if (used.count === 0) throw invitationNotFound();
      const accepted = await tx.admin.update({
        where: { id },
        data: { passwordHash },
        select: { id: true, email: true, role: true, name: true },
      });
      await this.sessions.endAll(tx, id);
      await this.audit.record(actorOf(accepted), action, id, {}, tx);
      await this.notices.send(tx, id, 'password');
      return accepted;
    });
  }
}

/** An unused, unexpired invitation of an enabled account with a known role. */
const good = () => ({
  acceptedAt: null,
  expiresAt: { gt: new Date() },
  admin: { disabledAt: null, role: KNOWN_ROLE },
});

const digest = (token: string) => createHash('sha256').update(token).digest();

const invitationNotFound = () =>
  new NotFoundError(
    'INVITATION_NOT_FOUND',
    'The link was used or replaced, or has expired; ask for a new one',
  );
