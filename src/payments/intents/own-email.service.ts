import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { donationOfToken } from '../../donations/donors/donor-token.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import { donorKeyOf } from '../../donations/recording/new-donation.js';
import { donationById, lockDonation, noSuchDonation } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { SettingsService } from '../../settings/settings.service.js';

/** Saves the e-mail address that a donor gives after the payment, for the receipt. */
@Injectable()
export class OwnEmail {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly changes: DonationChanges,
  ) {}

  /**
   * Saves the address and queues the receipt. A known address is never replaced, because the donor may have shared the token.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ConflictError `EMAIL_NOT_ASKED`, `EMAIL_KNOWN`, `DONATION_NOT_OPEN`
   */
  async save(token: string, email: string): Promise<void> {
    const id = donationOfToken(this.keys, token);
    const found = id === undefined ? undefined : await donationById(this.database, id);
    if (!found) throw noSuchDonation();
    const event = await this.events.get(found.event_id);
    const { fields } = (await this.settings.effective(event.overrides)).donation;
    if (fields.donorEmail === 'hidden')
      throw new ConflictError('EMAIL_NOT_ASKED', 'The event does not ask donors for an e-mail address');
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, found.id);
      if (!before) throw noSuchDonation();
      if (before.donor_email !== null)
        throw new ConflictError('EMAIL_KNOWN', 'The donation already has an e-mail address');
      if (before.status !== 'PENDING' && before.status !== 'COMPLETED')
        throw new ConflictError('DONATION_NOT_OPEN', 'The donation was not paid, or was refunded');
      this.changes.apply(tx, before, {
        fact: { kind: 'edited' },
        columns: { donor_email: email, donor_key: donorKeyOf(this.keys, email) },
        actor: { kind: 'donor', id: null },
        reason: null,
        sendsReceipt: true,
      });
    });
  }
}
