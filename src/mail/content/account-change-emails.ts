import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { SettingsService } from '../../settings/settings.service.js';
import { commandChangeOf, OWNER, type SealedAccountChange } from './account-change.js';
import { accountChangeEmail } from './charity-emails.js';
import type { ClaimedEmail } from '../emails.sql.js';
import { MailComposers } from './mail-composers.js';
import { Mailer } from '../mailer.service.js';

/** Writes the e-mails about changes of accounts, in the language of the organization. */
@Injectable()
export class AccountChangeEmails {
  constructor(
    composers: MailComposers,
    mailer: Mailer,
    private readonly database: Database,
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

  /** Undefined where the account is gone. */
  private async byCommand({
    subject,
    created_at: at,
  }: ClaimedEmail): Promise<SealedAccountChange | undefined> {
    const found = commandChangeOf(subject);
    if (!found) return undefined;
    const [owner] = await this.database.query<{ email: string; name: string | null }>(OWNER, [found.userId]);
    if (!owner) return undefined;
    const { email: to, name } = owner;
    return { to, name, change: found.change, at: at.toISOString(), address: null, client: null };
  }
}
