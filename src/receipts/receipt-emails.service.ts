import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import { formatMoney } from '../common/money/money.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import { assertDonationId, noSuchDonation, lockDonation } from '../donations/store/donation-store.js';
import { givenAt } from '../donations/recording/given-at.js';
import { isCardCharge } from '../payments/booking/pledge-payments.js';
import { type MatchInEmail, receiptEmail } from '../mail/content/charity-emails.js';
import { OWN_PAGE_PATH } from '../mail/content/own-page-email.js';
import { type EmailDto, toEmail } from '../mail/dto/email.dto.js';
import { EmailsService } from '../mail/emails.service.js';
import { type Composed, MailComposers } from '../mail/content/mail-composers.js';
import { Mailer } from '../mail/mailer.service.js';
import { OwnMatches } from '../match/own-matches.service.js';
import { SettingsService } from '../settings/settings.service.js';
import { donorLocale } from './receipt-wording.js';
import { ReceiptProofs } from './receipt-proofs.service.js';
import { isPastDonation, notCompleted, ReceiptsService } from './receipts.service.js';
import { dateInWords } from '../common/text/local-time.js';

const LOGO_ID = 'logo';
/** A new e-mail waits at most this time for the match pools, so that it can say what the donation drew. */
const MATCH_PATIENCE_MS = 30_000;
const MATCH_RETRY_MS = 1_000;

/** Sends receipts to donors by e-mail. */
@Injectable()
export class ReceiptEmails {
  constructor(
    private readonly database: Database,
    private readonly receipts: ReceiptsService,
    private readonly settings: SettingsService,
    private readonly mailer: Mailer,
    private readonly emails: EmailsService,
    private readonly audit: Audit,
    private readonly config: AppConfig,
    private readonly proofs: ReceiptProofs,
    private readonly matches: OwnMatches,
  ) {}

  /**
   * Queues the receipt e-mail of an online or offline donation. A receipt that was already sent is sent again.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ConflictError `DONATION_NOT_COMPLETED`, `DONOR_EMAIL_MISSING`, UnavailableError
   * `MAIL_OFF`
   */
  async request(caller: Principal, donationId: string): Promise<EmailDto> {
    assertDonationId(donationId);
    this.emails.assertOn();
    return await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, donationId);
      if (!donation) throw noSuchDonation();
      if (donation.status !== 'COMPLETED') throw notCompleted();
      if (donation.is_past_donation) throw isPastDonation();
      if (donation.donor_email === null)
        throw new ConflictError('DONOR_EMAIL_MISSING', 'The donation has no e-mail address');
      const row = await this.mailer.requestReceipt(tx, donationId);
      await this.audit.record(actorOf(caller), 'donation.email_receipt', donationId, {}, tx);
      return toEmail(row);
    });
  }

  /** True if the match pools have not counted the donation of a new e-mail yet. */
  async mustWait(donationId: string, queuedAt: Date): Promise<boolean> {
    return (
      Date.now() - queuedAt.getTime() < MATCH_PATIENCE_MS &&
      (await this.matches.of(donationId)).state === 'pending'
    );
  }

  /** Sums that the donation drew from match pools; empty while the pools have not counted the donation. */
  private async matchesOf(
    donationId: string,
    { amount, currency }: { readonly amount: bigint; readonly currency: string },
    locale: string,
  ): Promise<MatchInEmail[]> {
    const match = await this.matches.of(donationId);
    if (match.state !== 'known') return [];
    return match.draws
      .filter((draw) => draw.amount > 0n)
      .map((draw) => ({
        amount: formatMoney(draw.amount, currency, locale),
        matcher: draw.matcher,
        given: draw.amount < draw.wanted ? formatMoney(amount, currency, locale) : undefined,
      }));
  }

  /** @param knownCopy true if the first attempt to send this e-mail found a copy, so that every attempt prints the same */
  async compose(donationId: string, knownCopy: boolean | null): Promise<Composed | undefined> {
    const receipt = await this.receipts.renderForEmail(donationId, knownCopy);
    const to = receipt?.row.donor_email;
    // The donor was erased, so there is no recipient.
    if (!receipt || !to) return undefined;
    const { row, issuer, number, pdf, isCopy } = receipt;
    const settings = await this.settings.effective(row.overrides);
    const locale = donorLocale(settings.locales, row.locale);
    const proof = receipt.isPacked ? undefined : await this.proofs.file(row);
    const logo = issuer.logo === undefined ? [] : [logoOf(issuer.logo)];
    const email = receiptEmail(
      settings,
      locale,
      {
        donorName: row.donor_name,
        amount: formatMoney(row.amount, row.currency, locale),
        receivedOn: dateInWords(givenAt(row), locale, settings.timezone, row),
        eventName: row.event_name,
        number,
        isCopy,
        hasProof: proof !== undefined,
        tribute: row.tribute,
        matches: await this.matchesOf(donationId, row, locale),
        monthlyUrl: settings.donation.monthlyUrl,
        isCharge: await isCardCharge(this.database, donationId),
        ownPageUrl: `${this.config.publicUrl}${OWN_PAGE_PATH}?lang=${encodeURIComponent(locale)}`,
      },
      logo.length > 0 ? LOGO_ID : undefined,
    );
    const receiptFile = { fileName: `receipt-${number}.pdf`, contentType: 'application/pdf', content: pdf };
    return {
      email: {
        ...email,
        to,
        organization: settings.organization,
        attachments: [
          receiptFile,
          ...(proof
            ? [{ fileName: proof.fileName, contentType: 'application/pdf', content: proof.pdf }]
            : []),
          ...logo,
        ],
      },
      isCopy,
    };
  }
}

/** Registers the composer of receipt e-mails with the mail module. A separate class, so that Nest creates it at the start. */
@Injectable()
export class ReceiptEmailWriter {
  constructor(composers: MailComposers, receipts: ReceiptEmails) {
    composers.register('receipt', async ({ donation_id: id, is_copy: isCopy, created_at: queuedAt }) => {
      if (id === null) return undefined;
      if (await receipts.mustWait(id, queuedAt)) return { postponedMs: MATCH_RETRY_MS };
      return await receipts.compose(id, isCopy);
    });
  }
}

function logoOf(logo: Uint8Array) {
  const content = Buffer.from(logo.buffer, logo.byteOffset, logo.byteLength);
  const isPng = content.subarray(1, 4).toString('latin1') === 'PNG';
  return {
    fileName: isPng ? 'logo.png' : 'logo.jpg',
    contentType: isPng ? 'image/png' : 'image/jpeg',
    content,
    contentId: LOGO_ID,
  };
}
