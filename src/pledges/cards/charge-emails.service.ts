import { Injectable } from '@nestjs/common';
import { formatMoney } from '../../common/money/money.js';
import { Database } from '../../data/database.js';
import { donationById } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { chargeFailedEmail, chargeNoticeEmail } from '../../mail/content/charge-emails.js';
import {
  type ClaimedEmail,
  type Composed,
  MailComposers,
  type Postponed,
} from '../../mail/content/mail-composers.js';
import { SettingsService } from '../../settings/settings.service.js';
import { PledgeClock } from '../emails/pledge-clock.js';
import { totalOf } from '../emails/pledge-emails.service.js';
import { quietMs } from '../emails/quiet-hours.js';
import { WaysToPay } from '../ways-to-pay.js';
import { CHARGES_OF_NOTICE, FAILED_CHARGE, type NoticedCharge } from './card-charges.sql.js';
import { termsOf } from './card-terms.js';
import { GuestCards } from './guest-cards.service.js';

interface FailedCharge {
  readonly code: string | null;
  readonly text_language: string;
  readonly name: string;
  readonly email: string | null;
}

/**
 * Composes the notice before a charge, and the e-mail after a declined one, at the time of sending. Both wait for the end of the
 * quiet hours. They belong to the card that the guest saved, so they are sent also to guests who want no other e-mails about pledges.
 */
@Injectable()
export class ChargeEmails {
  constructor(
    composers: MailComposers,
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly cards: GuestCards,
    private readonly ways: WaysToPay,
    private readonly clock: PledgeClock,
  ) {
    composers.register('charge_notice', (row) => this.notice(row));
    composers.register('charge_failed', (row) => this.failed(row));
  }

  /** Undefined if no charge of the notice is announced any more. */
  private async notice({ id }: ClaimedEmail): Promise<Composed | Postponed | undefined> {
    const charges = await this.database.query<NoticedCharge>(CHARGES_OF_NOTICE, [id]);
    const [first] = charges;
    if (!first?.email) return undefined;
    const event = await this.events.get(first.event_id);
    const settings = await this.settings.effective(event.overrides);
    const postponedMs = quietMs(this.clock.now(), settings.timezone);
    if (postponedMs > 0) return { postponedMs };
    const locale = first.text_language;
    const changeUrl = this.cards.linkTo(first.guest_id, event, termsOf(event, settings));
    const [path = '', query = ''] = changeUrl.split('?');
    const stopUrl = `${path}/stop?${query}`;
    const email = chargeNoticeEmail(settings, locale, {
      name: first.name,
      eventName: event.name,
      total: totalOf(charges, locale),
      amounts: charges.length > 1 ? charges.map((one) => formatMoney(one.amount, one.currency, locale)) : [],
      card: [first.brand, first.last4 && `•••• ${first.last4}`].filter(Boolean).join(' '),
      changeUrl,
      stopUrl,
    });
    const { organization } = settings;
    // The button of the mail program stops the charge with one click (RFC 8058).
    return { email: { ...email, to: first.email, organization, unsubscribeUrl: stopUrl } };
  }

  /** Undefined if the pledge is not open or not payable any more. */
  private async failed({ donation_id: pledgeId }: ClaimedEmail): Promise<Composed | Postponed | undefined> {
    const pledge = pledgeId === null ? undefined : await donationById(this.database, pledgeId);
    const [charge] = await this.database.query<FailedCharge>(FAILED_CHARGE, [pledgeId]);
    if (!pledge || !charge?.email) return undefined;
    const event = await this.events.get(pledge.event_id);
    const settings = await this.settings.effective(event.overrides);
    const [way] = await this.ways.of(pledge, event);
    if (!way) return undefined;
    const postponedMs = quietMs(this.clock.now(), settings.timezone);
    if (postponedMs > 0) return { postponedMs };
    const locale = charge.text_language;
    const email = chargeFailedEmail(settings, locale, {
      name: charge.name,
      eventName: event.name,
      amount: formatMoney(pledge.amount, pledge.currency, locale),
      asksOwner: charge.code === 'authentication_required',
      payUrl: way.url,
      payUntil: way.expiresAt,
    });
    return { email: { ...email, to: charge.email, organization: settings.organization } };
  }
}
