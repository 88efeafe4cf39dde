import { Injectable, Logger } from '@nestjs/common';
import { actorOf, reachesEvent, scopeOf, type Principal } from '../../common/access/principal.js';
import {
  ConflictError,
  DomainError,
  InvalidInputError,
  NotFoundError,
} from '../../common/errors/domain-errors.js';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { parseInstant } from '../../common/validation/field.decorators.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { Database } from '../../data/database.js';
import { EventLookup, eventNotFound } from '../../events/event-lookup.service.js';
import { DonationChanges, totalOutOfRange } from '../lifecycle/donation-changes.js';
import type { DonationRow } from '../store/donation-columns.js';
import { NO_DETAILS, ERASED_BEFORE_ARRIVAL, recordedDonor, type RecordedDonor } from './new-donation.js';
import { type RecordedDonationDto, toDonation } from '../dto/donation.dto.js';
import type { RecordDonationDto } from '../dto/record-donation.dto.js';
import { DonationRecorder } from './donation-recorder.js';
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

/** Offline donations, recorded by staff at their event or by an admin at any. */
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
   * Records a donation as COMPLETED (a pledge as PENDING) in one statement.
   * @param idempotencyKey the same key and body answer as the first time, whatever has changed since. A random UUID
   *   names the record, whoever sends it; any other key is the caller's own.
   * @throws InvalidInputError `AMOUNT_TOO_LARGE` above `donation.maxOfflineAmount`
   * @throws ConflictError `CONFIRMATION_REQUIRED` above `donation.confirmOfflineAbove` without `confirmed`; `TOTAL_OUT_OF_RANGE`
   */
  async record(
    caller: Principal,
    sent: RecordDonationDto,
    idempotencyKey: string | undefined,
  ): Promise<RecordedDonationDto> {
    if (sent.roundId !== undefined && sent.type !== 'pledge')
      throw new InvalidInputError('VALIDATION_FAILED', 'roundId belongs to a pledge');
    const owner = scopeOfRecord(caller, idempotencyKey);
    // The one who took it may have sent it already: only a key that is the record's own finds that out.
    if (sent.takenBy !== undefined && owner !== 'record')
      throw new InvalidInputError(
        'IDEMPOTENCY_KEY_REQUIRED',
        'What somebody else took is sent under the random UUID of the record',
      );
    const key =
      idempotencyKey === undefined ? undefined : readIdempotencyKey(idempotencyKey, owner, recordIn(sent));
    let attempt: Attempt;
    try {
      attempt = await this.attempt(caller, sent, key);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // What was recorded once is answered so, although it could not be recorded now.
      const kept = await this.answerKept(key);
      if (kept && reachesEvent(caller, kept.eventId)) return kept;
      throw error;
    }
    return attempt.donation ?? (await this.firstAnswer(key, attempt.eventId));
  }

  /** Without a donation in the end somebody used the key before. */
  private async attempt(
    caller: Principal,
    sent: RecordDonationDto,
    key: IdempotencyKey | undefined,
  ): Promise<Attempt> {
    const scope = scopeOf(caller);
    const own = scope.kind === 'own-event' ? scope : undefined;
    // What most records need is at hand; each question that nobody has to ask spares a wait.
    const asked = sent.eventId ?? own?.eventId;
    const eventId =
      asked !== undefined && asked === own?.eventId ? asked : await this.namedEvent(caller, asked);
    const taker = sent.takenBy === undefined ? own : await takerOf(this.database, scope, sent);
    const found = recordedDonor(this.database, this.keys, sent);
    const donor = found instanceof Promise ? await found : found;
    const draft = this.draft(own?.terminalId ?? null, sent, eventId, donor, taker);
    const result = await this.recorder.record({
      donation: draft,
      confirmed: sent.confirmed ?? false,
      actor: actorOf(caller),
      reason: donor.erased ? ERASED_BEFORE_ARRIVAL : null,
      idempotency: key
        ? { ...key, seal: (donation) => sealAnswer(this.keys, answerOf(sent, donation)) }
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
        return { eventId, donation: answerOf(sent, result.donation) };
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
  ): DonationRow {
    const id = newId();
    return this.changes.draft(
      {
        id,
        event_id: eventId,
        amount: BigInt(sent.amount),
        // The event's, and what waits for approval there, are read where it is written.
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
        payment_id: null,
        expected_amount: null,
        expected_currency: null,
        created_at: timeOfId(id),
        // What the device says; the rules know whether that can be.
        recorded_at: sent.recordedAt === undefined ? null : (parseInstant(sent.recordedAt) ?? null),
        terminal_id: terminalId,
        paddle: sent.paddle ?? null,
        round_id: sent.roundId ?? null,
      },
      sent.type === 'pledge' ? 'pledged' : 'received',
    );
  }

  private async namedEvent(caller: Principal, sent: string | undefined): Promise<string> {
    if (sent === undefined) throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    const event = await this.events.get(sent);
    // To staff, another event does not exist.
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event.id;
  }

  private async firstAnswer(key: IdempotencyKey | undefined, eventId: string): Promise<RecordedDonationDto> {
    const kept = await this.answerKept(key);
    if (!kept)
      throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
    // The same words at another event are another donation, and that event's answer may be none of the caller's.
    if (kept.eventId !== eventId) throw keyReused();
    return kept;
  }

  private async answerKept(key: IdempotencyKey | undefined): Promise<RecordedDonationDto | undefined> {
    const kept = key && (await keptAnswer(this.database, key));
    if (!kept?.answer) return undefined;
    const answer = openAnswer(this.keys, kept.answer) as RecordedDonationDto;
    // Earlier versions kept the answer with the time that was sent, before anything judged it.
    const isReplaced =
      kept.recorded_at === null && ![undefined, answer.createdAt].includes(answer.recordedAt);
    return Object.assign(answer, {
      // What earlier versions kept without, or did not know.
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
      'The time in recordedAt cannot be; the time of arrival stands in its place, and an admin reviews it',
  },
};

/** The answer to a record, with a warning where the time that was sent was not believed. */
function answerOf(sent: RecordDonationDto, donation: DonationRow): RecordedDonationDto {
  const answer = toDonation(donation);
  return sent.recordedAt !== undefined && donation.recorded_at === null ? { ...answer, ...REPLACED } : answer;
}

/** When it was taken and who took it may be told later, or otherwise, when the same record is sent again. */
function recordIn({ recordedAt: _, takenBy: __, ...record }: RecordDonationDto): object {
  return record;
}

interface Attempt {
  readonly eventId: string;
  readonly donation: RecordedDonationDto | undefined;
}

/** A refusal that the caller can act on; what is our fault stays an error. */
const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.getStatus() < 500;

function refuseAmount({ kind, limit }: { kind: 'too-large' | 'unconfirmed'; limit: number }): never {
  if (kind === 'too-large')
    throw new InvalidInputError('AMOUNT_TOO_LARGE', `amount must be at most ${limit}`);
  throw new ConflictError('CONFIRMATION_REQUIRED', `An amount above ${limit} needs "confirmed": true`);
}
