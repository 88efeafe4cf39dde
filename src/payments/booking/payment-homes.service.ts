import { Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { isId } from '../../common/crypto/ids.js';
import { Database, type Transaction } from '../../data/database.js';
import { donationById } from '../../donations/store/donation-store.js';
import type { Moderation } from '../../donations/recording/new-donation.js';
import { EventLookup, type EventRecord } from '../../events/event-lookup.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { PaymentFact } from '../providers/provider-port.js';

/** What became of a fact; kept with the provider's webhook event. */
export type BookingOutcome =
  | { readonly kind: 'booked'; readonly donationId: string }
  | { readonly kind: 'unchanged'; readonly donationId: string }
  /** Kept for the success it belongs to. */
  | { readonly kind: 'kept'; readonly paymentId: string }
  /** Money for an event that does not exist here: open until an admin assigns it. */
  | { readonly kind: 'unmatched'; readonly paymentId: string }
  /** Not a payment of this service. */
  | { readonly kind: 'foreign' };

/** The provider a fact came from and, for webhook events, its id there. */
export interface FactSource {
  readonly provider: string;
  readonly type: 'card' | 'wallet';
  readonly webhookEventId: string | null;
  readonly isReversal: boolean;
}

/** What comes with facts that the provider did not send by itself. */
export interface BookingContext {
  /** As in `WebhookEvent`. */
  readonly isReversal?: boolean;
  /** Written in the same transaction, such as the record of who asked for it. */
  readonly also?: (tx: Transaction) => Promise<void>;
}

export const actorOfFact = ({
  webhookEventId,
  provider,
}: Pick<FactSource, 'provider' | 'webhookEventId'>): Actor => ({
  kind: 'provider',
  id: webhookEventId ?? provider,
});

/** For the webhook event: what became of it, and of which donation or payment. */
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

/** The event of a payment that has no row, and what waits for approval there. */
export interface PaymentHome {
  readonly event: EventRecord;
  readonly moderate: Moderation;
}

/** Where payments without a row belong, as their metadata says. */
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

  /** A second payment that names a donation, and not its event, belongs where that donation does. */
  private async eventOfDonation(donationId: string | undefined): Promise<EventRecord | undefined> {
    if (donationId === undefined || !isId(donationId)) return undefined;
    const named = await donationById(this.database, donationId);
    return named && (await this.events.find(named.event_id));
  }
}
