import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import { assertDonationId, assertSeen, donationById } from '../donations/store/donation-store.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import { isPublicStatus } from '../events/event-status.js';
import { PaymentProviders } from '../payments/providers/payment-providers.js';
import type { PaymentLink } from './dto/pledge.dto.js';
import { pledgeOfToken, pledgeTokenOf } from '../donations/donors/donor-token.js';

const LINK_MS = 60 * 24 * 60 * 60_000;

/**
 * Creates and reads links to pay a pledge online. The link opens the donate page with the amount and the name of the pledge.
 */
@Injectable()
export class PaymentLinks {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly audit: Audit,
    private readonly providers: PaymentProviders,
  ) {}

  /**
   * Creates a link to pay a pledge.
   * @throws ConflictError as `assertPayable` does
   */
  async make(caller: Principal, id: string): Promise<PaymentLink> {
    assertDonationId(id);
    const pledge = await donationById(this.database, id);
    assertSeen(caller, pledge);
    await this.assertPayable(pledge);
    const { slug } = await this.events.get(pledge.event_id);
    await this.audit.record(actorOf(caller), 'donation.payment_link', id);
    return this.linkTo(pledge, slug);
  }

  /** Returns a new link to pay a pledge. */
  linkTo({ id }: Pick<DonationRow, 'id'>, slug: string): PaymentLink {
    const expiresAt = new Date(Math.floor((Date.now() + LINK_MS) / 1_000) * 1_000);
    const token = pledgeTokenOf(this.keys, id, expiresAt);
    return {
      url: `${this.config.publicUrl}/donate/${slug}?pledge=${token}`,
      expiresAt: expiresAt.toISOString(),
    };
  }

  /**
   * Checks that a donor can pay the pledge online now.
   * @throws ConflictError `PLEDGE_NOT_OPEN`; `PLEDGE_NOT_PAYABLE` if no provider accepts the amount; `EVENT_TAKES_NO_DONATIONS`
   * if the event has no public page
   */
  async assertPayable(pledge: DonationRow): Promise<void> {
    const refusal = await this.refusalOf(pledge);
    if (refusal) throw refusal;
  }

  async isPayable(pledge: DonationRow): Promise<boolean> {
    return (await this.refusalOf(pledge)) === undefined;
  }

  /**
   * Returns the pledge of a link for this event, even if the pledge is no longer open. Undefined if the link is invalid or
   * expired.
   */
  async read(token: unknown, eventId: string): Promise<DonationRow | undefined> {
    const pledge = await this.find(token);
    return pledge?.event_id === eventId ? pledge : undefined;
  }

  /** Returns the event of a link. The slug in the link may belong to another event now. */
  async eventOf(token: unknown): Promise<EventRecord | undefined> {
    const pledge = await this.find(token);
    return pledge && (await this.events.find(pledge.event_id));
  }

  private async refusalOf(pledge: DonationRow): Promise<ConflictError | undefined> {
    if (!isOpenPledge(pledge)) return new ConflictError('PLEDGE_NOT_OPEN', 'Only an open pledge can be paid');
    const refusal = this.providers.refusalOf(pledge.amount, pledge.currency);
    if (refusal !== undefined)
      return new ConflictError('PLEDGE_NOT_PAYABLE', `This amount cannot be paid online: ${refusal}`);
    const { status } = await this.events.get(pledge.event_id);
    if (!isPublicStatus(status))
      return new ConflictError('EVENT_TAKES_NO_DONATIONS', `The event is ${status}`);
    return undefined;
  }

  private async find(token: unknown): Promise<DonationRow | undefined> {
    const id = pledgeOfToken(this.keys, token);
    return id === undefined ? undefined : await donationById(this.database, id);
  }
}

export const isOpenPledge = ({ type, status }: DonationRow): boolean =>
  type === 'pledge' && status === 'PENDING';
