import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { KeyRing } from '../common/key-ring.js';
import { Database } from '../data/database.js';
import { Outbox } from '../outbox/outbox.js';
import { actorOf } from '../common/access/actor.js';
import { assertDonationId, assertSeen } from './donation-access.js';
import type { DonationRow } from './donation-row.js';
import { appendHistory, lockDonation, updateDonation } from './donations.sql.js';
import { donorKeyOf } from './donor-key.js';
import { type DonationDto, toDonation } from './dto/donation.dto.js';
import type { FulfilPledgeDto } from './dto/record-donation.dto.js';
import { READ_ONLY_FIELDS, type UpdateDonationDto } from './dto/update-donation.dto.js';
import { moveTotals } from './totals.js';

/** Corrections of what is known about the donor, and pledges that were kept. */
@Injectable()
export class CorrectionsService {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly outbox: Outbox,
  ) {}

  /** Changes name, e-mail, anonymity or message; the wall hears of it when the donation counts. */
  async update(caller: Principal, id: string, sent: UpdateDonationDto): Promise<DonationDto> {
    assertDonationId(id);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      assertSeen(caller, before);
      refuseReadOnly(before, sent);
      const after = await updateDonation(tx, before, this.corrected(before, sent));
      if (after.status === 'COMPLETED')
        await this.outbox.append(tx, { topic: 'donation.updated', eventId: after.event_id, donationId: id });
      await moveTotals(tx, before, after);
      return toDonation(after);
    });
  }

  /** A pledge was paid: it counts from now on, as the kind of money that came. */
  async fulfil(caller: Principal, id: string, { type }: FulfilPledgeDto): Promise<DonationDto> {
    assertDonationId(id);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      assertSeen(caller, before);
      if (before.type !== 'pledge' || before.status !== 'PENDING')
        throw new ConflictError('PLEDGE_NOT_OPEN', 'Only an open pledge can be fulfilled');
      const after = await updateDonation(tx, before, { type, status: 'COMPLETED', completed_at: new Date() });
      await appendHistory(tx, id, 'PENDING', 'COMPLETED', actorOf(caller), `pledge fulfilled (${type})`);
      await this.outbox.append(tx, { topic: 'donation.created', eventId: after.event_id, donationId: id });
      await moveTotals(tx, before, after);
      return toDonation(after);
    });
  }

  private corrected(before: DonationRow, sent: UpdateDonationDto): Partial<DonationRow> {
    const donorName = sent.donorName === undefined ? before.donor_name : sent.donorName;
    const donorEmail = sent.donorEmail === undefined ? before.donor_email : sent.donorEmail;
    return {
      donor_name: donorName,
      donor_email: donorEmail,
      is_anonymous: donorName === null || (sent.isAnonymous ?? before.is_anonymous),
      message: sent.message === undefined ? before.message : sent.message,
      // The stored key stays with an unchanged address: it may have outlived a change of secret.
      donor_key: donorEmail === before.donor_email ? before.donor_key : donorKeyOf(this.keys, donorEmail),
    };
  }
}

function refuseReadOnly(before: DonationRow, sent: UpdateDonationDto): void {
  const present = toDonation(before);
  const changed = READ_ONLY_FIELDS.filter(
    (field) => sent[field] !== undefined && sent[field] !== present[field],
  );
  // `updatedAt` of an older copy is no attempt to change it.
  const refused = changed.filter((field) => field !== 'updatedAt');
  if (refused.length > 0)
    throw new InvalidInputError('READ_ONLY_FIELD', `${refused.join(', ')} cannot be changed`);
}
