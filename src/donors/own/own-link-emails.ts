import { Injectable } from '@nestjs/common';
import { ownPageEmail } from '../../mail/content/own-page-email.js';
import { MailComposers } from '../../mail/content/mail-composers.js';
import type { OwnPageEmail } from '../../mail/content/own-page-wording.js';
import { Mailer } from '../../mail/mailer.service.js';
import { SettingsService } from '../../settings/settings.service.js';

const KINDS: readonly OwnPageEmail[] = ['own_page_link', 'erasure_requested', 'missing_address'];

/** Writes the e-mails with an address of the donor's own page, in the language of the donor. */
@Injectable()
export class OwnLinkEmails {
  constructor(composers: MailComposers, mailer: Mailer, settings: SettingsService) {
    for (const kind of KINDS)
      composers.register(kind, async ({ sealed }) => {
        if (sealed === null) return undefined;
        const { to, url, locale, expiresAt: until } = mailer.openOwnPageLink(sealed);
        const expiresAt = until === null ? null : new Date(until);
        if (expiresAt && expiresAt <= new Date()) return undefined;
        const charity = await settings.global();
        const email = ownPageEmail(kind, charity, locale, { url, expiresAt });
        return { email: { ...email, to, organization: charity.organization } };
      });
  }
}
