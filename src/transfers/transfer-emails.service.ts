import { Injectable } from '@nestjs/common';
import { inFours } from '../common/banking/iban.js';
import { printedReference } from '../common/banking/transfer-reference.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { formatMoney } from '../common/money/money.js';
import { dateInWords } from '../common/text/local-time.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import { donorTokenOf } from '../donations/donors/donor-token.js';
import { donationById } from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { type Composed, MailComposers } from '../mail/content/mail-composers.js';
import { transferEmail } from '../mail/content/transfer-email.js';
import { donorLocale } from '../receipts/receipt-wording.js';
import { SettingsService } from '../settings/settings.service.js';
import { PaymentParts } from './payment-part.service.js';
import { codePng, codeRows } from './transfer-code.js';
import { TransferReferences } from './transfer-references.service.js';

const CODE_ID = 'code';

/** Composes the e-mail with the bank details of a transfer. */
@Injectable()
export class TransferEmails {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly references: TransferReferences,
    private readonly parts: PaymentParts,
  ) {}

  /** Returns undefined if the donation has no address any more, or is no longer open. */
  async compose(donationId: string): Promise<Composed | undefined> {
    const donation = await donationById(this.database, donationId);
    if (!donation?.donor_email || donation.status !== 'PENDING') return undefined;
    const details = await this.references.unpaid(donation);
    if (!details?.expiresAt) return undefined;
    const event = await this.events.get(donation.event_id);
    const settings = await this.settings.effective(event.overrides);
    const locale = donorLocale(settings.locales, donation.locale);
    const email = transferEmail(settings, locale, {
      donorName: donation.donor_name,
      eventName: event.name,
      amount: formatMoney(details.amount, donation.currency, locale),
      holder: details.holder.name,
      iban: inFours(details.iban),
      bic: details.bic,
      reference: printedReference(details.reference),
      until: dateInWords(details.expiresAt, locale, settings.timezone, donation),
      url: `${this.config.publicUrl}/donate/${event.slug}/thanks?donation=${donorTokenOf(this.keys, donation.id)}`,
      codeId: details.payload === '' ? undefined : CODE_ID,
      tribute: donation.tribute,
    });
    const picture = details.payload !== '' && {
      fileName: 'code.png',
      contentType: 'image/png',
      content: await codePng(await codeRows(details.payload), details.format),
      contentId: CODE_ID,
    };
    const bill = details.format === 'qr_bill' ? [await this.bill(details, locale)] : [];
    return {
      email: {
        ...email,
        to: donation.donor_email,
        organization: settings.organization,
        attachments: [...(picture ? [picture] : []), ...bill],
      },
    };
  }

  private async bill(details: Parameters<PaymentParts['draw']>[0], locale: string) {
    const content = Buffer.from(await this.parts.draw(details, locale));
    return { fileName: `qr-bill-${details.reference}.pdf`, contentType: 'application/pdf', content };
  }
}

/** Registers the composer with the mail module. A separate class, so that Nest creates it at the start. */
@Injectable()
export class TransferEmailWriter {
  constructor(composers: MailComposers, emails: TransferEmails) {
    composers.register('transfer_details', async ({ donation_id: id }) =>
      id === null ? undefined : await emails.compose(id),
    );
  }
}
