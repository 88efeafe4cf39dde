import { Injectable } from '@nestjs/common';
import { SettingsService } from '../../settings/settings.service.js';
import { accountChangeEmail } from './charity-emails.js';
import { MailComposers } from './mail-composers.js';
import { Mailer } from '../mailer.service.js';

/** Writes the e-mails about changes of accounts, in the language of the organization. */
@Injectable()
export class AccountChangeEmails {
  constructor(composers: MailComposers, mailer: Mailer, settings: SettingsService) {
    composers.register('account_change', async ({ sealed }) => {
      if (sealed === null) return undefined;
      const { to, at, ...facts } = mailer.openAccountChange(sealed);
      const charity = await settings.global();
      const email = accountChangeEmail(charity, charity.locales.default, { ...facts, at: new Date(at) });
      return { email: { ...email, to, organization: charity.organization } };
    });
  }
}
