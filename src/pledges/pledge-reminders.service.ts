import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError, DomainError } from '../common/errors/domain-errors.js';
import { Database, type Transaction } from '../data/database.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { assertDonationId, assertSeen, donationById } from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { EmailsService } from '../mail/emails.service.js';
import { Mailer } from '../mail/mailer.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { PledgeRemindersDto, SkippedPledge } from './dto/pledge.dto.js';
import { PledgeContacts } from './emails/pledge-contacts.service.js';
import { PledgeClock } from './emails/pledge-clock.js';
import { LOCK_OPEN_PLEDGES_OF_DONOR, OPTED_OUT, REMINDED } from './emails/pledge-emails.sql.js';
import { quietMs } from './emails/quiet-hours.js';
import { PaymentLinks } from './payment-links.service.js';

/** Reminds donors of their unpaid pledges by e-mail when an admin requests it. */
@Injectable()
export class PledgeReminders {
  constructor(
    private readonly database: Database,
    private readonly links: PaymentLinks,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly mailer: Mailer,
    private readonly emails: EmailsService,
    private readonly clock: PledgeClock,
    private readonly contacts: PledgeContacts,
    private readonly audit: Audit,
  ) {}

  /**
   * Queues one reminder for each donor at each event, about all open pledges of the donor. Lists the pledges without a reminder,
   * each with its reason: `DONATION_NOT_FOUND`, `DONOR_EMAIL_MISSING`, `DONOR_OPTED_OUT`, `PLEDGE_REMINDED` (in the last 24
   * hours), and the reasons of `PaymentLinks.assertPayable`. In the quiet hours of the event, the e-mail waits for their end.
   * @throws UnavailableError `MAIL_OFF`
   */
  async send(caller: Principal, ids: readonly string[]): Promise<PledgeRemindersDto> {
    this.emails.assertOn();
    const skipped: SkippedPledge[] = [];
    const waits: number[] = [];
    const asked = new Set(ids.map((id) => id.toLowerCase()));
    const reminded = new Set<string>();
    for (const donationId of asked) {
      if (reminded.has(donationId)) continue;
      try {
        const { delayMs, covered } = await this.remind(caller, donationId, asked);
        waits.push(delayMs);
        for (const id of covered) reminded.add(id);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        skipped.push({ donationId, code: error.code, message: error.message });
      }
    }
    const longest = Math.max(0, ...waits);
    const queued = [...asked].length - skipped.length;
    return {
      queued,
      skipped,
      waitsUntil: longest === 0 ? null : new Date(this.clock.now().getTime() + longest).toISOString(),
    };
  }

  private async remind(
    caller: Principal,
    id: string,
    asked: ReadonlySet<string>,
  ): Promise<{ delayMs: number; covered: string[] }> {
    assertDonationId(id);
    return await this.database.transaction(async (tx) => {
      const found = await donationById(tx, id);
      assertSeen(caller, found);
      // The lock of all pledges of the donor prevents two e-mails about two of them.
      const open =
        found.donor_key === null
          ? []
          : await tx.query<DonationRow>(LOCK_OPEN_PLEDGES_OF_DONOR, [found.event_id, found.donor_key]);
      const pledge = open.find((one) => one.id === id) ?? found;
      await this.links.assertPayable(pledge);
      await assertReachable(tx, pledge);
      const event = await this.events.get(pledge.event_id);
      const { timezone } = await this.settings.effective(event.overrides);
      const delayMs = quietMs(this.clock.now(), timezone);
      const email = await this.mailer.enqueueReminder(tx, id, delayMs);
      if (email === undefined) throw reminded();
      const covered = open.map((one) => one.id);
      await this.contacts.reminded(tx, email, covered);
      const named = covered.filter((one) => asked.has(one));
      for (const one of named) await this.audit.record(actorOf(caller), 'donation.remind', one, {}, tx);
      return { delayMs, covered: named };
    });
  }
}

/** @throws ConflictError if the donor has no address, wants no e-mails about pledges, or was reminded */
async function assertReachable(tx: Transaction, pledge: DonationRow): Promise<void> {
  if (pledge.donor_email === null || pledge.donor_key === null)
    throw new ConflictError('DONOR_EMAIL_MISSING', 'The donation has no e-mail address');
  if ((await tx.query(OPTED_OUT, [pledge.donor_key])).length > 0)
    throw new ConflictError('DONOR_OPTED_OUT', 'The donor wants no e-mails about pledges');
  if ((await tx.query(REMINDED, [pledge.id])).length > 0) throw reminded();
}

const reminded = () => new ConflictError('PLEDGE_REMINDED', 'The donor was reminded in the last 24 hours');
