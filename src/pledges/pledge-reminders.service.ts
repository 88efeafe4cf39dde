import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError, DomainError } from '../common/errors/domain-errors.js';
import { formatMoney } from '../common/money/money.js';
import { dateInWords } from '../common/text/local-time.js';
import { Database } from '../data/database.js';
import {
  assertDonationId,
  assertSeen,
  donationById,
  lockDonation,
} from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { pledgeReminderEmail } from '../mail/content/charity-emails.js';
import { donorLocale } from '../receipts/receipt-wording.js';
import { type Composed, MailComposers } from '../mail/content/mail-composers.js';
import { EmailsService } from '../mail/emails.service.js';
import { Mailer } from '../mail/mailer.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { PledgeRemindersDto, SkippedPledge } from './dto/pledge.dto.js';
import { PaymentLinks } from './payment-links.service.js';

/** Reminds donors of their unpaid pledges by e-mail, with a link to pay online. */
@Injectable()
export class PledgeReminders {
  constructor(
    private readonly database: Database,
    private readonly links: PaymentLinks,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly mailer: Mailer,
    private readonly emails: EmailsService,
    private readonly audit: Audit,
  ) {}

  /**
   * Queues one reminder for each pledge, and lists the pledges without one, each with its reason: `DONATION_NOT_FOUND`,
   * `DONOR_EMAIL_MISSING`, `PLEDGE_REMINDED` (in the last 24 hours), and the reasons of `PaymentLinks.assertPayable`.
   * @throws UnavailableError `MAIL_OFF`
   */
  async send(caller: Principal, ids: readonly string[]): Promise<PledgeRemindersDto> {
    this.emails.assertOn();
    const skipped: SkippedPledge[] = [];
    let queued = 0;
    for (const donationId of new Set(ids)) {
      try {
        await this.remind(caller, donationId);
        queued++;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        skipped.push({ donationId, code: error.code, message: error.message });
      }
    }
    return { queued, skipped };
  }

  /** Composes a reminder; undefined if the pledge is no longer open or has no e-mail address any more. */
  async compose(donationId: string): Promise<Composed | undefined> {
    const pledge = await donationById(this.database, donationId);
    if (!pledge?.donor_email || !(await this.links.isPayable(pledge))) return undefined;
    const event = await this.events.get(pledge.event_id);
    const settings = await this.settings.effective(event.overrides);
    const locale = donorLocale(settings.locales, pledge.locale);
    const link = this.links.linkTo(pledge, event.slug);
    const email = pledgeReminderEmail(settings, locale, {
      donorName: pledge.donor_name,
      amount: formatMoney(pledge.amount, pledge.currency, locale),
      pledgedOn: dateInWords(pledge.recorded_at ?? pledge.created_at, locale, settings.timezone, pledge),
      eventName: event.name,
      url: link.url,
      expiresAt: new Date(link.expiresAt),
    });
    return { email: { ...email, to: pledge.donor_email, organization: settings.organization } };
  }

  private async remind(caller: Principal, id: string): Promise<void> {
    assertDonationId(id);
    await this.database.transaction(async (tx) => {
      const pledge = await lockDonation(tx, id);
      assertSeen(caller, pledge);
      await this.links.assertPayable(pledge);
      if (pledge.donor_email === null)
        throw new ConflictError('DONOR_EMAIL_MISSING', 'The donation has no e-mail address');
      if (!(await this.mailer.enqueueReminder(tx, id)))
        throw new ConflictError('PLEDGE_REMINDED', 'The donor was reminded in the last 24 hours');
      await this.audit.record(actorOf(caller), 'donation.remind', id, {}, tx);
    });
  }
}

/** Registers the composer of reminders with the mail module. A separate class, so that Nest creates it at the start. */
@Injectable()
export class PledgeReminderWriter {
  constructor(composers: MailComposers, reminders: PledgeReminders) {
    composers.register('pledge_reminder', async ({ donation_id: id }) =>
      id === null ? undefined : await reminders.compose(id),
    );
  }
}
