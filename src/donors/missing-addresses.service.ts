import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { OWN_PAGE_PATH } from '../mail/content/own-page-email.js';
import { EmailsService } from '../mail/emails.service.js';
import { Mailer } from '../mail/mailer.service.js';
import { type DonorWithoutAddress, IncompleteReceipts } from '../receipts/incomplete-receipts.service.js';
import { donorLocale } from '../receipts/receipt-wording.js';
import { SettingsService } from '../settings/settings.service.js';
import type { AskedDonorsDto } from './dto/asked-donors.dto.js';
import { ADD_LONG_LINK } from './own/own-page.sql.js';
import { digestOf, newToken } from './own/own-tokens.js';

/** The link of such an e-mail works for two weeks, because the donor did not wait for it. */
const LINK_MS = 14 * 24 * 3_600_000;

/** Asks the donors of an event for the postal address that their receipts need. */
@Injectable()
export class MissingAddresses {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly incomplete: IncompleteReceipts,
    private readonly mailer: Mailer,
    private readonly emails: EmailsService,
    private readonly audit: Audit,
  ) {}

  /**
   * Queues one e-mail for each donor, but not within seven days of the last one.
   * @throws NotFoundError `EVENT_NOT_FOUND`; UnavailableError `MAIL_OFF`
   */
  async ask(caller: Principal, eventRef: string): Promise<AskedDonorsDto> {
    this.emails.assertOn();
    const event = await this.events.get(eventRef);
    const { locales } = await this.settings.effective(event.overrides);
    const donors = await this.incomplete.donorsWithoutAddress(event.id);
    let asked = 0;
    for (const donor of donors)
      if (await this.askOne(event.id, donor, donorLocale(locales, donor.locale))) asked++;
    if (asked > 0)
      await this.audit.record(actorOf(caller), 'receipts.ask_address', event.id, { donors: asked });
    return { asked, askedBefore: donors.length - asked };
  }

  private async askOne(
    eventId: string,
    { donorKey, email: to }: DonorWithoutAddress,
    locale: string,
  ): Promise<boolean> {
    const token = newToken();
    const url = `${this.config.publicUrl}${OWN_PAGE_PATH}/sign-in/${token}?lang=${locale}`;
    const expiresAt = new Date(Date.now() + LINK_MS);
    return await this.database.transaction(async (tx) => {
      const isQueued = await this.mailer.enqueueMissingAddress(tx, eventId, {
        donorKey,
        to,
        locale,
        url,
        expiresAt,
      });
      if (isQueued) await tx.query(ADD_LONG_LINK, [digestOf(token), donorKey, expiresAt]);
      return isQueued;
    });
  }
}
