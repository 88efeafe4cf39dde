import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../data/prisma.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { commandChangeOf, type SealedAccountChange } from './account-change.js';
import { accountChangeEmail } from './charity-emails.js';
import type { ClaimedEmail } from '../emails.sql.js';
import { MailComposers } from './mail-composers.js';
import { Mailer } from '../mailer.service.js';

/** Writes e-mails about changes of an account, in the language of the organization. */
@Injectable()
export class AccountChangeEmails {
  constructor(
    composers: MailComposers,
    mailer: Mailer,
    private readonly prisma: PrismaService,
    settings: SettingsService,
  ) {
    composers.register('account_change', async (row) => {
      const notice = row.sealed ? mailer.openAccountChange(row.sealed) : await this.byCommand(row);
      if (!notice) return undefined;
      const { to, at, ...facts } = notice;
      const charity = await settings.global();
      const email = accountChangeEmail(charity, charity.locales.default, { ...facts, at: new Date(at) });
      return { email: { ...email, to, organization: charity.organization } };
    });
  }

  /** Returns the content of an e-mail about a change by a command; undefined if the account no longer exists. */
  private async byCommand({
    subject,
    created_at: at,
  }: ClaimedEmail): Promise<SealedAccountChange | undefined> {
    const found = commandChangeOf(subject);
    if (!found) return undefined;
    const { admin } = await this.prisma.client();
    const owner = await admin.findUnique({
      where: { id: found.userId },
      select: { email: true, name: true },
    });
    if (!owner) return undefined;
    const { email: to, name } = owner;
    return { to, name, change: found.change, at: at.toISOString(), address: null, client: null };
  }
}
