import { Injectable } from '@nestjs/common';
import { KeyRing } from '../common/crypto/key-ring.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import { tributeTokenOf } from '../donations/donors/donor-token.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { donationById } from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { type Composed, MailComposers } from '../mail/content/mail-composers.js';
import { tributeEmail } from '../mail/content/tribute-email.js';
import { donorLocale } from '../receipts/receipt-wording.js';
import { SettingsService } from '../settings/settings.service.js';
import { OPTED_OUT } from './tributes.sql.js';

/** Path of the page that ends the e-mails about tributes. */
export const TRIBUTE_PATH = '/tribute';

/** Composes the e-mail to the person whom a tribute notifies. */
@Injectable()
export class TributeEmails {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    composers: MailComposers,
  ) {
    composers.register('tribute_notice', async ({ donation_id: id }) =>
      id === null ? undefined : await this.compose(id),
    );
  }

  /** Returns undefined if the donation was returned, the tribute may not be shown, or the person wants no such e-mails. */
  private async compose(donationId: string): Promise<Composed | undefined> {
    const donation = await donationById(this.database, donationId);
    const { tribute, notified_key: addressKey } = donation ?? {};
    if (!donation || !tribute?.notifyEmail || !addressKey || !maySend(donation)) return undefined;
    if ((await this.database.query(OPTED_OUT, [addressKey])).length > 0) return undefined;
    const event = await this.events.get(donation.event_id);
    const settings = await this.settings.effective(event.overrides);
    const locale = donorLocale(settings.locales, donation.locale);
    const token = tributeTokenOf(this.keys, { donationId, addressKey });
    const stopUrl = `${this.config.publicUrl}${TRIBUTE_PATH}/${token}`;
    const email = tributeEmail(settings, locale, {
      ...tribute,
      donorName: isNamed(donation) ? donation.donor_name : null,
      stopUrl: `${stopUrl}?lang=${encodeURIComponent(locale)}`,
    });
    const { organization } = settings;
    return { email: { ...email, to: tribute.notifyEmail, organization, unsubscribeUrl: stopUrl } };
  }
}

/** The same conditions as in the statement that queues the e-mails. */
const maySend = ({ status, tribute_state, is_anonymous, name_state }: DonationRow): boolean =>
  status === 'COMPLETED' && tribute_state === 'visible' && (is_anonymous || name_state !== 'held');

const isNamed = ({ is_anonymous, name_state }: DonationRow): boolean =>
  !is_anonymous && name_state === 'visible';
