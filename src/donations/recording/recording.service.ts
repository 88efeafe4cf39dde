import { Injectable, Logger } from '@nestjs/common';
import { actorOf, isApiKey, reachesEvent, scopeOf, type Principal } from '../../common/access/principal.js';
import {
  ConflictError,
  DomainError,
  InvalidInputError,
  RefusedFieldsError,
  NotFoundError,
} from '../../common/errors/domain-errors.js';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { parseInstant } from '../../common/validation/field.decorators.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { Database } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound } from '../../events/event-record.js';
import { DonationChanges, totalOutOfRange } from '../lifecycle/donation-changes.js';
import type { DonationRow } from '../store/donation-columns.js';
import { shownTo } from '../donors/hidden-donors.js';
import { seenBy } from '../store/guest-email.js';
import { NO_DETAILS, ERASED_BEFORE_ARRIVAL, recordedDonor, type RecordedDonor } from './new-donation.js';
import { type RecordedDonationDto, toDonation } from '../dto/donation.dto.js';
import type { RecordDonationDto } from '../dto/record-donation.dto.js';
import { readTribute, tributeColumns } from '../tributes/tribute-columns.js';
import { DonationRecorder } from './donation-recorder.js';
import { assertTeamOf } from '../../teams/team-choice.js';
import { donorOf, guestWithPaddle, type PaddleGuest } from './paddle-guest.js';
import { type Taker, takerOf } from './taken-by.js';
import {
  type IdempotencyKey,
  keptAnswer,
  keyReused,
  openAnswer,
  readIdempotencyKey,
  scopeOfRecord,
  sealAnswer,
} from './idempotency.js';

/** Records offline donations. Staff record at their own event, admins at any event. */
@Injectable()
export class RecordingService {
  private readonly logger = new Logger(RecordingService.name);

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly events: EventLookup,
    private readonly changes: DonationChanges,
    private readonly recorder: DonationRecorder,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Records a donation as COMPLETED (a pledge as PENDING) in one statement. An API key must send an `Idempotency-Key`.
   * @param idempotencyKey A repeat with the same key and body returns the first response. A random UUID identifies
   * one record, so any caller can repeat the request. Any other key is valid for the same caller only.
   * @param matchPoolId the match pool that the donation pays, for a payment of a matcher
   * @throws InvalidInputError `AMOUNT_TOO_LARGE` above `donation.maxOfflineAmount`
   * @throws ConflictError `CONFIRMATION_REQUIRED` above `donation.confirmOfflineAbove` without `confirmed`;
   * `TOTAL_OUT_OF_RANGE`
   */
  async record(
    caller: Principal,
    sent: RecordDonationDto,
    idempotencyKey: string | undefined,
    matchPoolId: string | null = null,
  ): Promise<RecordedDonationDto> {
    if (sent.roundId !== undefined && sent.type !== 'pledge')
      throw new RefusedFieldsError([
        { field: 'roundId', rule: 'other', message: 'roundId is only allowed for a pledge' },
      ]);
    // A program repeats a request after a lost answer. Without a key, the repeat would be a second donation.
    if (idempotencyKey === undefined && isApiKey(caller))
      throw new InvalidInputError(
        'IDEMPOTENCY_KEY_REQUIRED',
        'A record by an API key needs an Idempotency-Key',
      );
    const owner = scopeOfRecord(caller, idempotencyKey);
    // The member who took the record may have sent it already. Only a key in the scope of the record, not of
    // the sender, detects this repeat.
    if (sent.takenBy !== undefined && owner !== 'record')
      throw new InvalidInputError(
        'IDEMPOTENCY_KEY_REQUIRED',
        'A record taken by somebody else needs its random UUID as the Idempotency-Key',
      );
    const key =
      idempotencyKey === undefined
        ? undefined
        : readIdempotencyKey(idempotencyKey, owner, recordIn(sent, matchPoolId));
    let attempt: Attempt;
    try {
      attempt = await this.attempt(caller, sent, key, matchPoolId);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A repeat returns the first response, even if the record would now be refused.
      const kept = await this.answerKept(key);
      if (kept && reachesEvent(caller, kept.eventId)) return shownTo(caller, kept);
      throw error;
    }
    return shownTo(caller, attempt.donation ?? (await this.firstAnswer(key, attempt.eventId)));
  }

  /** Tries to write the record. The result has no donation if the key was used before. */
  private async attempt(
    caller: Principal,
    sent: RecordDonationDto,
    key: IdempotencyKey | undefined,
    matchPoolId: string | null,
  ): Promise<Attempt> {
    const scope = scopeOf(caller);
    const own = scope.kind === 'own-event' ? scope : undefined;
    // For most records the needed data is already in memory. Every avoided query saves a round trip.
    const asked = sent.eventId ?? own?.eventId;
    const eventId =
      asked !== undefined && asked === own?.eventId ? asked : await this.namedEvent(caller, asked);
    const taker = sent.takenBy === undefined ? own : await takerOf(this.database, scope, sent);
    const guest = await this.guestOf(eventId, sent);
    if (sent.teamId !== undefined) await assertTeamOf(this.database, eventId, sent.teamId);
    const found = recordedDonor(this.database, this.keys, guest ? donorOf(guest, sent) : sent);
    const donor = found instanceof Promise ? await found : found;
    const draft = this.draft(own?.terminalId ?? null, sent, eventId, donor, taker, guest, matchPoolId);
    const result = await this.recorder.record({
      donation: draft,
      confirmed: sent.confirmed ?? false,
      actor: actorOf(caller),
      reason: donor.erased ? ERASED_BEFORE_ARRIVAL : null,
      idempotency: key
        ? { ...key, seal: (donation) => sealAnswer(this.keys, answerOf(sent, seenBy(caller, donation))) }
        : null,
    });
    this.metrics.recordings.inc({ type: sent.type, result: result.kind });
    switch (result.kind) {
      case 'recorded':
        this.logger.log({
          msg: 'Donation recorded',
          donationId: draft.id,
          eventId,
          type: sent.type,
        });
        return { eventId, donation: answerOf(sent, seenBy(caller, result.donation)) };
      case 'key-used':
        return { eventId, donation: undefined };
      case 'too-large':
      case 'unconfirmed':
        return refuseAmount(result);
      case 'out-of-range':
        throw totalOutOfRange(result.currency);
      case 'unknown-round':
        throw new NotFoundError('PLEDGE_ROUND_NOT_FOUND', 'The event has no such pledge round');
      case 'event-closed':
        await this.events.get(eventId);
        throw new ConflictError('EVENT_TAKES_NO_DONATIONS', 'A draft or archived event takes no donations');
    }
  }

  private draft(
    terminalId: string | null,
    sent: RecordDonationDto,
    eventId: string,
    donor: RecordedDonor,
    taker: Taker | undefined,
    guest: PaddleGuest | undefined,
    matchPoolId: string | null,
  ): DonationRow {
    const id = newId();
    return this.changes.draft(
      {
        id,
        event_id: eventId,
        amount: BigInt(sent.amount),
        // The currency and moderation states come from the event when the record is written.
        currency: '',
        message_state: 'visible',
        name_state: 'visible',
        type: sent.type,
        donor_name: donor.donorName,
        donor_email: donor.donorEmail,
        is_anonymous: donor.isAnonymous,
        message: donor.message,
        donor_key: donor.donorKey,
        staff_id: taker?.staffId ?? null,
        staff_name: taker?.staffName ?? null,
        provider: null,
        ...NO_DETAILS,
        is_amount_hidden: sent.isAmountHidden ?? false,
        donor_address: donor.erased ? null : (sent.donorAddress ?? null),
        ...tributeColumns(this.keys, 'none', donor.erased ? null : readTribute(sent.tribute)),
        payment_id: null,
        expected_amount: null,
        expected_currency: null,
        created_at: timeOfId(id),
        // The device time before its check. The recording rules check it.
        recorded_at: sent.recordedAt === undefined ? null : (parseInstant(sent.recordedAt) ?? null),
        terminal_id: terminalId,
        paddle: sent.paddle ?? null,
        guest_id: guest?.id ?? null,
        team_id: sent.teamId ?? guest?.team_id ?? null,
        round_id: sent.roundId ?? null,
        // If the donor was erased before the record arrived, the reference and the note are not stored, because
        // they may contain the donor's name.
        reference: donor.erased ? null : (sent.reference ?? null),
        note: donor.erased ? null : (sent.note ?? null),
        is_past_donation: false,
        match_pool_id: matchPoolId,
      },
      sent.type === 'pledge' ? 'pledged' : 'received',
    );
  }

  /** Returns the guest with the paddle of a record, if the record contains no donor. */
  private async guestOf(eventId: string, sent: RecordDonationDto): Promise<PaddleGuest | undefined> {
    if (sent.paddle === undefined || sent.donorName || sent.donorEmail) return undefined;
    return await guestWithPaddle(this.database, eventId, sent.paddle);
  }

  private async namedEvent(caller: Principal, sent: string | undefined): Promise<string> {
    if (sent === undefined) throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    const event = await this.events.get(sent);
    // Other events are hidden from staff.
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event.id;
  }

  private async firstAnswer(key: IdempotencyKey | undefined, eventId: string): Promise<RecordedDonationDto> {
    const kept = await this.answerKept(key);
    if (!kept)
      throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
    // The key was used for a donation of another event. The response for that event is hidden from the caller.
    if (kept.eventId !== eventId) throw keyReused();
    return kept;
  }

  private async answerKept(key: IdempotencyKey | undefined): Promise<RecordedDonationDto | undefined> {
    const kept = key && (await keptAnswer(this.database, key));
    if (!kept?.answer) return undefined;
    const answer = openAnswer(this.keys, kept.answer) as RecordedDonationDto;
    // Earlier versions stored the response with the unchecked device time.
    const isReplaced =
      kept.recorded_at === null && ![undefined, answer.createdAt].includes(answer.recordedAt);
    return Object.assign(answer, {
      // Earlier versions did not store these fields.
      currency: answer.currency || (kept.currency ?? ''),
      recordedAt: kept.recorded_at?.toISOString() ?? answer.createdAt,
      terminalId: answer.terminalId ?? null,
      paddle: answer.paddle ?? null,
      roundId: answer.roundId ?? null,
      paidBy: answer.paidBy ?? null,
      ...(isReplaced && REPLACED),
    });
  }
}

const REPLACED: Pick<RecordedDonationDto, 'warning'> = {
  warning: {
    code: 'RECORDED_AT_REPLACED',
    message:
      'The time in recordedAt is impossible; the time of arrival is used instead, and an admin reviews it',
  },
};

/** The response to a record, with a warning if the device time was rejected. */
function answerOf(sent: RecordDonationDto, donation: DonationRow): RecordedDonationDto {
  const answer = toDonation(donation);
  return sent.recordedAt !== undefined && donation.recorded_at === null ? { ...answer, ...REPLACED } : answer;
}

/**
 * Returns the fields for the digest. `recordedAt` and `takenBy` are omitted, because a repeat of the same record may have other
 * values.
 */
function recordIn(
  { recordedAt: _, takenBy: __, ...record }: RecordDonationDto,
  matchPoolId: string | null,
): object {
  return matchPoolId === null ? record : { ...record, matchPoolId };
}

interface Attempt {
  readonly eventId: string;
  readonly donation: RecordedDonationDto | undefined;
}

/** True for a refusal because of the request. Faults of the server are not refusals. */
const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.getStatus() < 500;

function refuseAmount({ kind, limit }: { kind: 'too-large' | 'unconfirmed'; limit: number }): never {
  if (kind === 'too-large')
    throw new InvalidInputError('AMOUNT_TOO_LARGE', `amount must be at most ${limit}`);
  throw new ConflictError('CONFIRMATION_REQUIRED', `An amount above ${limit} needs "confirmed": true`);
}
