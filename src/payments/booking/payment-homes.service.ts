import { Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { isId } from '../../common/crypto/ids.js';
import { Database, type Transaction } from '../../data/database.js';
import { donationById } from '../../donations/store/donation-store.js';
import type { Moderation } from '../../donations/recording/new-donation.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { PaymentFact } from '../providers/provider-port.js';

/** Outcome of a booked fact. Stored with the webhook event. */
export type BookingOutcome =
  | { readonly kind: 'booked'; readonly donationId: string }
  | { readonly kind: 'unchanged'; readonly donationId: string }
  /** A fact that is stored until its payment arrives. */
  | { readonly kind: 'kept'; readonly paymentId: string }
  /** A payment for an unknown event. The webhook event is open until an admin assigns the payment. */
  | { readonly kind: 'unmatched'; readonly paymentId: string }
  /** Not a payment of this service. */
  | { readonly kind: 'foreign' };

/** The provider of a fact. For a webhook event, also the event id at the provider. */
export interface FactSource {
  readonly provider: string;
  readonly type: 'card' | 'wallet';
  readonly webhookEventId: string | null;
  readonly isReversal: boolean;
}

/** Context of facts that this service read from the provider, instead of receiving a webhook event. */
export interface BookingContext {
  /** As in `WebhookEvent`. */
  readonly isReversal?: boolean;
  /** Writes additional records in the same transaction, such as an audit record. */
  readonly also?: (tx: Transaction) => Promise<void>;
}

export const actorOfFact = ({
  webhookEventId,
  provider,
}: Pick<FactSource, 'provider' | 'webhookEventId'>): Actor => ({
  kind: 'provider',
  id: webhookEventId ?? provider,
});

/** Outcome for the webhook event row: result, donation, payment. */
export function summary(outcomes: readonly BookingOutcome[]): [string, string | null, string | null] {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
  const donation = outcomes.find((outcome) => 'donationId' in outcome);
  const open = outcomes.find((outcome) => 'paymentId' in outcome);
  return [
    kinds.join('+') || 'ignored',
    donation && 'donationId' in donation ? donation.donationId : null,
    open && 'paymentId' in open ? open.paymentId : null,
  ];
}

/** The event of a payment without a donation, and the parts of a donation that need approval at this event. */
export interface PaymentHome {
  readonly event: EventRecord;
  readonly moderate: Moderation;
}

/** Finds the event of a payment without a donation. Uses the payment's metadata. */
@Injectable()
export class PaymentHomes {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
  ) {}

  async find(fact: PaymentFact): Promise<PaymentHome | undefined> {
    const asks = fact.kind === 'paid' || (fact.kind === 'processing' && fact.hold !== undefined);
    if (!asks || fact.eventRef === undefined) return undefined;
    const event = (await this.events.find(fact.eventRef)) ?? (await this.eventOfDonation(fact.donationId));
    return (
      event && {
        event,
        moderate: (await this.settings.effective(event.overrides)).live.moderate,
      }
    );
  }

  /** A second payment that refers to a donation but to no event belongs to the event of the donation. */
  private async eventOfDonation(donationId: string | undefined): Promise<EventRecord | undefined> {
    if (donationId === undefined || !isId(donationId)) return undefined;
    const named = await donationById(this.database, donationId);
    return named && (await this.events.find(named.event_id));
  }
}
