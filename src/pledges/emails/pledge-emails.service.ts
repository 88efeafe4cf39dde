import { inFours } from '../../common/banking/iban.js';
import { printedReference } from '../../common/banking/transfer-reference.js';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { formatMoney } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import { pledgeEmailTokenOf } from '../../donations/donors/donor-token.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { isPublicStatus } from '../../events/event-status.js';
import {
  pledgeEmail,
  type PledgeEmailFacts,
  type PledgeTransfer,
} from '../../mail/content/charity-emails.js';
import {
  type ClaimedEmail,
  type Composed,
  MailComposers,
  type Postponed,
} from '../../mail/content/mail-composers.js';
import { donorLocale } from '../../receipts/receipt-wording.js';
import { SettingsService } from '../../settings/settings.service.js';
import { WaysToPay } from '../ways-to-pay.js';
import { PledgeClock } from './pledge-clock.js';
import {
  COVERED_BY_EMAIL,
  LANGUAGE_OF_DONOR,
  OPEN_PLEDGES_OF_DONOR,
  OPTED_OUT,
} from './pledge-emails.sql.js';
import { quietMs } from './quiet-hours.js';

/** The links of an e-mail stay valid for longer than its link to pay, so that a late donor still gets an answer. */
const LINKS_MS = 365 * 24 * 60 * 60_000;

/** Languages of e-mails to a donor. */
@Injectable()
export class PledgeLanguages {
  constructor(private readonly database: Database) {}

  /** Returns the language of the pledge, or of the donor's latest donation with a known language, or the default. */
  async of(
    locales: { readonly default: string; readonly supported: readonly string[] },
    { locale, donor_key: key }: Pick<DonationRow, 'locale' | 'donor_key'>,
  ): Promise<string> {
    if (locale !== null || key === null) return donorLocale(locales, locale);
    const [known] = await this.database.query<{ locale: string }>(LANGUAGE_OF_DONOR, [key]);
    return donorLocale(locales, known?.locale ?? null);
  }
}

/** Composes the e-mails about unpaid pledges at the time of sending, from the pledges that are open then. */
@Injectable()
export class PledgeEmails {
  constructor(
    composers: MailComposers,
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly ways: WaysToPay,
    private readonly languages: PledgeLanguages,
    private readonly keys: KeyRing,
    private readonly config: AppConfig,
    private readonly clock: PledgeClock,
  ) {
    for (const kind of ['pledge_thanks', 'pledge_reminder', 'pledge_last'] as const)
      composers.register(kind, (row) => this.compose(row, kind));
  }

  /** Returns the bank details of the pledges; undefined if one of them cannot be paid by transfer. */
  private async transferOf(pledges: readonly DonationRow[]): Promise<PledgeTransfer | undefined> {
    const details = await Promise.all(pledges.map((pledge) => this.ways.transfer(pledge)));
    const all = details.filter((one) => one !== undefined);
    const [first] = all;
    if (!first || all.length < details.length) return undefined;
    return {
      holder: first.holder.name,
      iban: inFours(first.iban),
      references: all.map(({ reference }) => printedReference(reference)),
    };
  }

  /**
   * Composes an e-mail. Undefined if none of the pledges is open, the donor was erased or wants no such e-mails, or the event is
   * archived. If an event has its e-mails off, only an e-mail that an admin requested is sent.
   */
  private async compose(
    row: ClaimedEmail,
    kind: PledgeEmailFacts['kind'],
  ): Promise<Composed | Postponed | undefined> {
    const subject = row.donation_id === null ? undefined : await donationById(this.database, row.donation_id);
    if (!subject || (await this.hasOptedOut(subject))) return undefined;
    const event = await this.events.get(subject.event_id);
    const settings = await this.settings.effective(event.overrides);
    if (!isPublicStatus(event.status) || (isScheduled(row) && !settings.pledges.emails)) return undefined;
    const open = await this.openPledges(row, kind, subject);
    const to = open.at(-1)?.donor_email;
    if (!to) return undefined;
    const locale = await this.languages.of(settings.locales, subject);
    const payable = await Promise.all(
      open.map(async (pledge) => ({ pledge, links: await this.ways.of(pledge, event) })),
    );
    const pledges = payable.flatMap(({ pledge, links }) =>
      links.map(({ url, expiresAt }) => ({ pledge, url, expiresAt })),
    );
    const [first] = pledges;
    if (!first) return undefined;
    const postponedMs = kind === 'pledge_thanks' ? 0 : quietMs(this.clock.now(), settings.timezone);
    if (postponedMs > 0) return { postponedMs };
    const address = `${this.config.publicUrl}/pledge/${this.tokenOf(first.pledge)}`;
    const email = pledgeEmail(settings, locale, {
      kind,
      donorName: first.pledge.donor_name,
      eventName: event.name,
      total: totalOf(
        pledges.map(({ pledge }) => pledge),
        locale,
      ),
      pledges: pledges.map(({ pledge, url }) => ({
        amount: formatMoney(pledge.amount, pledge.currency, locale),
        pledgedOn: dateInWords(pledge.recorded_at ?? pledge.created_at, locale, settings.timezone, pledge),
        payUrl: url,
      })),
      transfer: await this.transferOf(pledges.map(({ pledge }) => pledge)),
      payUntil: first.expiresAt,
      cannotKeepUrl: address,
      unsubscribeUrl: `${address}/unsubscribe`,
    });
    const { organization } = settings;
    return { email: { ...email, to, organization, unsubscribeUrl: `${address}/unsubscribe` } };
  }

  /** The thanks is about the new pledges. Reminders are about all open pledges of the donor at the event. */
  private async openPledges(
    { id }: ClaimedEmail,
    kind: PledgeEmailFacts['kind'],
    subject: DonationRow,
  ): Promise<DonationRow[]> {
    const { event_id: eventId, donor_key: key } = subject;
    const open = await this.database.query<DonationRow>(OPEN_PLEDGES_OF_DONOR, [eventId, key]);
    const reachable = open.filter(({ donor_email }) => donor_email !== null);
    if (kind !== 'pledge_thanks') return reachable;
    const covered = await this.database.query<{ pledge_id: string }>(COVERED_BY_EMAIL, [id]);
    return reachable.filter((pledge) => covered.some(({ pledge_id }) => pledge_id === pledge.id));
  }

  private async hasOptedOut({ donor_key: key }: DonationRow): Promise<boolean> {
    return key === null || (await this.database.query(OPTED_OUT, [key])).length > 0;
  }

  private tokenOf({ id }: DonationRow): string {
    return pledgeEmailTokenOf(this.keys, id, new Date(Date.now() + LINKS_MS));
  }
}

/** The schedule adds the step to the subject; a reminder that an admin requested has only the pledge. */
const isScheduled = ({ subject }: ClaimedEmail): boolean => subject.includes(':');

/** The sum of the pledges, one for each currency: an event may have had another currency before. */
export function totalOf(
  pledges: readonly Pick<DonationRow, 'amount' | 'currency'>[],
  locale: string,
): string {
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of pledges) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  return [...sums].map(([currency, sum]) => formatMoney(sum, currency, locale)).join(' + ');
}
