import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../data/prisma.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { Invitation, InvitationMail } from '../../users/invitations.service.js';
import { invitationEmail } from './charity-emails.js';
import { MailComposers } from './mail-composers.js';
import { Mailer } from '../mailer.service.js';

/** Queues and writes the e-mails of invitations, in the language of the organization. */
@Injectable()
export class InvitationEmails implements InvitationMail {
  constructor(
    composers: MailComposers,
    private readonly mailer: Mailer,
    private readonly prisma: PrismaService,
    settings: SettingsService,
  ) {
    composers.register('invitation', async ({ sealed }) => {
      if (sealed === null) return undefined;
      const { to, name, url, isNew, expiresAt: until } = mailer.openInvitation(sealed);
      const expiresAt = new Date(until);
      if (expiresAt <= new Date()) return undefined;
      const charity = await settings.global();
      const email = invitationEmail(charity, charity.locales.default, { name, url, expiresAt, isNew });
      return { email: { ...email, to, organization: charity.organization } };
    });
  }

  /** @returns true if an e-mail was queued */
  async send({ email, inviteUrl, ...invitation }: Invitation): Promise<boolean> {
    return await this.prisma.transaction((tx) =>
      this.mailer.enqueueInvitation(tx, { ...invitation, to: email, url: inviteUrl }),
    );
  }
}
