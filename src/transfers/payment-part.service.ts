import { Injectable } from '@nestjs/common';
import { inFours } from '../common/banking/iban.js';
import { plainAmount } from '../common/banking/payment-text.js';
import { printedReference } from '../common/banking/transfer-reference.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { donationOfToken } from '../donations/donors/donor-token.js';
import { donationById, noSuchDonation } from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { PaymentPart, PaymentPartToDraw } from './payment-part-pdf.js';
import { paymentPartWording } from './payment-part-wording.js';
import { codeRows } from './transfer-code.js';
import type { TransferDetails } from './transfer-details.js';
import { TransferReferences } from './transfer-references.service.js';

const DRAW: ThreadFunction<PaymentPartToDraw, Uint8Array> = {
  file: threadFile('transfers/payment-part-pdf.js'),
  name: 'paymentPartPdf',
};

/** Draws the payment part of a Swiss QR-bill as a PDF of 210 × 105 mm. */
@Injectable()
export class PaymentParts {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly references: TransferReferences,
    private readonly thread: ExportThread,
  ) {}

  /**
   * Returns the payment part of one's own donation.
   * @throws NotFoundError `DONATION_NOT_FOUND`; `PAYMENT_PART_NOT_FOUND` if the donation is not an unpaid QR-bill
   */
  async own(token: string): Promise<{ readonly fileName: string; readonly file: Uint8Array }> {
    const id = donationOfToken(this.keys, token);
    const donation = id === undefined ? undefined : await donationById(this.database, id);
    if (!donation) throw noSuchDonation();
    const details = await this.references.unpaid(donation);
    if (details?.format !== 'qr_bill')
      throw new NotFoundError('PAYMENT_PART_NOT_FOUND', 'This donation has no QR-bill to pay');
    const { overrides } = await this.events.get(donation.event_id);
    const { locales } = await this.settings.effective(overrides);
    const file = await this.draw(details, donation.locale ?? locales.default);
    return { fileName: `qr-bill-${details.reference}.pdf`, file };
  }

  /** @param locale BCP 47 */
  async draw(details: TransferDetails, locale: string): Promise<Uint8Array> {
    const { language } = paymentPartWording(locale);
    const part = await paymentPartOf(details, locale);
    const title = `${part.wording.paymentPart} ${part.reference}`;
    return await this.thread.bytes(DRAW, {
      ...{ ...part, title, language },
      author: details.holder.name,
      createdAt: new Date(),
    });
  }
}

/** Returns the printed texts and the code of a payment part, for `drawPaymentPart`. */
export async function paymentPartOf(details: TransferDetails, locale: string): Promise<PaymentPart> {
  const { holder, iban, reference, message, currency, amount, payload } = details;
  const street = [holder.street, holder.buildingNumber].filter(Boolean).join(' ');
  return {
    wording: paymentPartWording(locale).wording,
    currency,
    // A space separates thousands: `1 949.75`.
    amount: plainAmount(amount).replace(/\B(?=(\d{3})+\.)/g, ' '),
    iban: inFours(iban),
    holder: [holder.name, street, `${holder.postalCode} ${holder.town}`].filter(Boolean),
    reference: printedReference(reference),
    message,
    rows: await codeRows(payload),
  };
}
