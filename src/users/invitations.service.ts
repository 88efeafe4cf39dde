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

const GOOD_FOR_MS = 72 * 3_600_000;

/** What an e-mail with an invitation needs to say. */
export interface Invitation {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  /** Its holder can set the password of the account, so it is never logged and never stored in clear. */
  readonly inviteUrl: string;
  readonly expiresAt: Date;
  /** False for somebody who has an account already and gets a link for a new password. */
  readonly isNew: boolean;
}

/** Sends invitations by e-mail. A module that can provides it under `INVITATION_MAIL` and exports it globally. */
export interface InvitationMail {
  /** Called after the commit. @returns whether an e-mail is on its way */
  send(invitation: Invitation): Promise<boolean>;
}

export const INVITATION_MAIL = Symbol('mail of invitations');

/** A link that was just made. Its token is nowhere else in clear. */
export interface IssuedLink {
  readonly inviteUrl: string;
  readonly expiresAt: Date;
}

/** Makes the links by which people set the password of their account: one of an account is good at a time, once. */
@Injectable()
export class InvitationLinks {
  private readonly logger = new Logger('Access');

  constructor(
    private readonly config: AppConfig,
    @Optional() @Inject(INVITATION_MAIL) private readonly mail: InvitationMail | undefined,
  ) {}

  /** Earlier links of the account are worthless from then on. */
  async issue(tx: Prisma.TransactionClient, userId: string): Promise<IssuedLink> {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + GOOD_FOR_MS);
    await forgetInvitations(tx, userId);
    await tx.adminInvitation.create({ data: { tokenDigest: digest(token), adminId: userId, expiresAt } });
    return { inviteUrl: `${this.config.publicUrl}/admin#invite=${token}`, expiresAt };
  }

  /** After the commit. @returns whether an e-mail is on its way; the link is in the answer in any case */
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
      this.logger.warn(`The invitation of ${user.id} could not be e-mailed: ${(error as Error).message}`);
      return false;
    }
  }
}

/** Takes the links back from those who got them. */
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
   * Sets the password; sessions under an earlier one end. A second factor that is set up stays and is asked for.
   * @throws NotFoundError INVITATION_NOT_FOUND for a link that is unknown, used, replaced or too old
   * @throws InvalidInputError PASSWORD_TOO_WEAK; the link stays good
   * @throws ForbiddenError PASSWORD_SIGN_IN_OFF
   */
  async accept({ token, password }: AcceptInvitation): Promise<InvitationAccepted> {
    await this.methods.requirePassword();
    const { adminInvitation } = await this.prisma.client();
    const tokenDigest = digest(token);
    const invited = await adminInvitation.findUnique({
      where: { tokenDigest, ...good() },
      select: { admin: { select: { id: true, email: true } } },
    });
    if (!invited) throw invitationNotFound();
    const { id, email } = invited.admin;
    const passwordHash = await hashNewPassword(password, email);
    return await this.prisma.transaction(async (tx) => {
      await lockAdmin(tx, id);
      // Of two requests at once, one changes the row.
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
      await this.audit.record(actorOf(accepted), 'admin.accept_invitation', id, {}, tx);
      await this.notices.send(tx, id, 'password');
      return accepted;
    });
  }
}

/** An invitation that was not used and is not too old, of an account that is not disabled and whose role is known. */
const good = () => ({
  acceptedAt: null,
  expiresAt: { gt: new Date() },
  admin: { disabledAt: null, role: KNOWN_ROLE },
});

const digest = (token: string) => createHash('sha256').update(token).digest();

const invitationNotFound = () =>
  new NotFoundError('INVITATION_NOT_FOUND', 'The link was used, replaced or is too old; ask for another one');
