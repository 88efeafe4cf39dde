import { Injectable } from '@nestjs/common';
import { isId } from '../common/ids.js';
import { Database } from '../data/database.js';
import { donationById } from '../donations/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import { SettingsService } from '../settings/settings.service.js';
import type { PaymentFact } from './payment-provider.js';

/** The event of a payment that has no row, and whether its messages wait for approval. */
export interface PaymentHome {
  readonly event: EventRecord;
  readonly holdsMessages: boolean;
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
    if (fact.kind !== 'paid' || fact.eventRef === undefined) return undefined;
    const event = (await this.events.find(fact.eventRef)) ?? (await this.eventOfDonation(fact.donationId));
    return (
      event && {
        event,
        holdsMessages: (await this.settings.effective(event.overrides)).live.moderate === 'messages',
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
