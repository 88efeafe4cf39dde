import { Injectable } from '@nestjs/common';
import { actorOf } from '../common/access/actor.js';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';
import { newId, timeOfId } from '../common/ids.js';
import { KeyRing } from '../common/key-ring.js';
import { Database } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { DonationChanges } from './donation-changes.js';
import type { DonationRow } from './donation-columns.js';
import { donorFields } from './donor-fields.js';
import { donorKeyOf } from './donor-key.js';
import { type DonationDto, toDonation } from './dto/donation.dto.js';
import type { RecordDonationDto } from './dto/record-donation.dto.js';
import { DonationRecorder } from './donation-recorder.js';
import { type IdempotencyKey, keptAnswer, readIdempotencyKey } from './idempotency.js';

/** Offline donations, recorded by staff at their event or by an admin at any. */
@Injectable()
export class RecordingService {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly events: EventLookup,
    private readonly changes: DonationChanges,
    private readonly recorder: DonationRecorder,
  ) {}

  /**
   * Records a donation as COMPLETED (a pledge as PENDING) in one statement.
   * @param idempotencyKey the same key and body answer as the first time, also after the donation was changed.
   */
  async record(
    caller: Principal,
    sent: RecordDonationDto,
    idempotencyKey: string | undefined,
  ): Promise<DonationDto> {
    const scope = `${caller.role.toLowerCase()}:${caller.id}`;
    const key = readIdempotencyKey(idempotencyKey, scope, sent);
    const eventId = await this.eventId(caller, sent.eventId ?? undefined);
    const donation = this.draft(caller, sent, eventId);
    const answer = toDonation(donation);
    const result = await this.recorder.record({
      donation,
      actor: actorOf(caller),
      idempotency: key ? { ...key, answer } : null,
    });
    switch (result.kind) {
      case 'recorded':
        return { ...answer, currency: result.currency };
      case 'key-used':
        return await this.firstAnswer(key);
      case 'event-closed':
        await this.events.get(eventId);
        throw new ConflictError('EVENT_TAKES_NO_DONATIONS', 'A draft or archived event takes no donations');
    }
  }

  private draft(caller: Principal, sent: RecordDonationDto, eventId: string): DonationRow {
    const id = newId();
    const donor = donorFields(sent);
    return this.changes.draft(
      {
        id,
        event_id: eventId,
        amount: BigInt(sent.amount),
        // The event's, and whether messages wait there, are known to the statement that writes it.
        currency: '',
        message_state: 'visible',
        type: sent.type,
        donor_name: donor.donorName,
        donor_email: donor.donorEmail,
        is_anonymous: donor.isAnonymous,
        message: donor.message,
        donor_key: donorKeyOf(this.keys, donor.donorEmail),
        staff_id: caller.role === 'STAFF' ? caller.id : null,
        staff_name: caller.role === 'STAFF' ? caller.name : null,
        provider: null,
        payment_id: null,
        expected_amount: null,
        expected_currency: null,
        created_at: timeOfId(id),
      },
      sent.type === 'pledge' ? 'pledged' : 'received',
    );
  }

  private async eventId(caller: Principal, sent: string | undefined): Promise<string> {
    if (caller.role === 'STAFF' && (sent === undefined || sent === caller.eventId)) return caller.eventId;
    if (sent === undefined) throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    const event = await this.events.get(sent);
    // To staff, another event does not exist.
    if (caller.role === 'STAFF' && event.id !== caller.eventId)
      throw new NotFoundError('EVENT_NOT_FOUND', 'No such event');
    return event.id;
  }

  private async firstAnswer(key: IdempotencyKey | undefined): Promise<DonationDto> {
    const kept = key && (await keptAnswer(this.database, key));
    if (!kept?.answer)
      throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
    return JSON.parse(kept.answer) as DonationDto;
  }
}
