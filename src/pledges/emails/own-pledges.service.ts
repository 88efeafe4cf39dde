import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, type SqlExecutor } from '../../data/database.js';
import { readPledgeEmailToken } from '../../donations/donors/donor-token.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById, lockDonation } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { isBeingCharged } from '../../payments/booking/pledge-payments.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { isOpenPledge } from '../payment-links.service.js';
import { OPT_OUT, OPTED_OUT, PLEDGES_OF_DONOR } from './pledge-emails.sql.js';
import { PledgeLanguages } from './pledge-emails.service.js';

/** Path of the pages behind the links of e-mails about pledges. */
export const PLEDGE_PATH = '/pledge';

/** Reasons for which a donor withdraws a pledge. The donor may choose none. */
export const WITHDRAWAL_REASONS = ['none', 'money', 'paid_elsewhere', 'mistake'] as const;
export type WithdrawalReason = (typeof WITHDRAWAL_REASONS)[number];

/** The pledges of a donor at an event, found by the token of an e-mail. */
export interface OwnPledgesView {
  readonly event: EventRecord;
  readonly settings: Settings;
  /** Language of the e-mails to this donor. */
  readonly locale: string;
  /** The pledge of the token and the other pledges of the donor at the event, oldest first. */
  readonly pledges: readonly DonationRow[];
  readonly hasOptedOut: boolean;
}

const DONOR = { kind: 'donor', id: null } as const;

/** Lets donors withdraw their pledges and end the e-mails about them, with the links of these e-mails. */
@Injectable()
export class OwnPledges {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly languages: PledgeLanguages,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns the pledges of a token; undefined if the token is wrong or has expired.
   * @param evenExpired true for the end of the e-mails, which must stay possible
   */
  async read(token: unknown, { evenExpired = false } = {}): Promise<OwnPledgesView | undefined> {
    const subject = await this.subject(token, evenExpired);
    if (!subject) return undefined;
    const event = await this.events.get(subject.event_id);
    const settings = await this.settings.effective(event.overrides);
    return {
      event,
      settings,
      locale: await this.languages.of(settings.locales, subject),
      pledges: await pledgesOf(this.database, subject),
      hasOptedOut: await this.hasOptedOut(subject),
    };
  }

  /**
   * Withdraws open pledges of the donor. A pledge that is not open stays as it is, so a second click changes nothing.
   * @param ids ids of pledges; pledges of other donors are ignored
   */
  async withdraw(token: unknown, ids: ReadonlySet<string>, reason: WithdrawalReason): Promise<void> {
    const subject = await this.subject(token, false);
    if (!subject) return;
    await this.database.transaction(async (tx) => {
      for (const { id } of await pledgesOf(tx, subject)) {
        if (!ids.has(id)) continue;
        const before = await lockDonation(tx, id);
        if (!before || !isOpenPledge(before)) continue;
        // The bank decides about this pledge at the moment. Afterwards it is paid, or the donor can withdraw it.
        if (await isBeingCharged(tx, id)) continue;
        this.changes.apply(tx, before, {
          fact: { kind: 'cancelled' },
          actor: DONOR,
          cause: { kind: 'pledge_withdrawn', code: reason },
        });
        await this.audit.record(DONOR, 'pledge.withdraw', id, { reason }, tx);
      }
    });
  }

  /** Ends the e-mails about pledges to the donor's address, at all events. A repeat changes nothing. */
  async optOut(token: unknown): Promise<void> {
    const subject = await this.subject(token, true);
    if (!subject?.donor_key) return;
    await this.optOutOf(subject.donor_key, subject.id);
  }

  /**
   * Ends the e-mails about pledges to an address. A repeat changes nothing.
   * @param subjectId a pledge or the key of the donor, for the audit log
   */
  async optOutOf(donorKey: Buffer, subjectId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const added = await tx.query(OPT_OUT, [donorKey]);
      if (added.length > 0) await this.audit.record(DONOR, 'pledge.opt_out', subjectId, {}, tx);
    });
  }

  /** True if an address wants no e-mails about pledges. */
  async hasOptedOutOf(donorKey: Buffer): Promise<boolean> {
    return (await this.database.query(OPTED_OUT, [donorKey])).length > 0;
  }

  private async subject(token: unknown, evenExpired: boolean): Promise<DonationRow | undefined> {
    const read = readPledgeEmailToken(this.keys, token);
    if (!read || (read.isExpired && !evenExpired)) return undefined;
    return await donationById(this.database, read.pledgeId);
  }

  private async hasOptedOut({ donor_key: key }: DonationRow): Promise<boolean> {
    return key !== null && (await this.hasOptedOutOf(key));
  }
}

/** The pledges of the same donor at the same event; of a donor without an address only the pledge itself. */
async function pledgesOf(db: SqlExecutor, subject: DonationRow): Promise<readonly DonationRow[]> {
  const { event_id: eventId, donor_key: key } = subject;
  return key === null ? [subject] : await db.query<DonationRow>(PLEDGES_OF_DONOR, [eventId, key]);
}
