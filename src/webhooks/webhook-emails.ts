import { Injectable } from '@nestjs/common';
import { isId } from '../common/crypto/ids.js';
import { Database } from '../data/database.js';
import { webhookDisabledEmail } from '../mail/content/charity-emails.js';
import { MailComposers } from '../mail/content/mail-composers.js';
import { SettingsService } from '../settings/settings.service.js';
import { ADMIN_AND_ENDPOINT } from './webhooks.sql.js';

/** Writes the e-mails about disabled endpoints, in the language of the organization. */
@Injectable()
export class WebhookEmails {
  constructor(composers: MailComposers, database: Database, settings: SettingsService) {
    composers.register('webhook_disabled', async ({ subject }) => {
      const ids = subject.split(':').slice(0, 2).filter(isId);
      const [row] = await database.query<{
        email: string;
        name: string | null;
        description: string | null;
        url: string;
      }>(ADMIN_AND_ENDPOINT, [ids[0] ?? null, ids[1] ?? null]);
      // The administrator or the endpoint was removed, or somebody has enabled the endpoint.
      if (!row) return undefined;
      const charity = await settings.global();
      // The rest of the address can contain a secret.
      const endpoint = row.description ?? new URL(row.url).host;
      const email = webhookDisabledEmail(charity, charity.locales.default, { name: row.name, endpoint });
      return { email: { ...email, to: row.email, organization: charity.organization } };
    });
  }
}
