import { Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { Backlogs } from '../../common/concurrency/backlogs.js';
import { newId } from '../../common/crypto/ids.js';
import { MicroBatcher } from '../../common/concurrency/concurrency.js';
import { toJsonAmount } from '../../common/money/json-amount.js';
import { RecordingFailures } from '../../common/recording-failures.js';
import { Database } from '../../data/database.js';
import { OutboxRelay } from '../../outbox/outbox-relay.js';
import { nextShard } from '../../totals/totals.js';
import type { DonationRow } from '../store/donation-columns.js';
import { RECORD, type RecordInput, SENT_COLUMNS } from './donation-recorder.sql.js';
import { topicsOf } from '../lifecycle/donation-changes.js';

/** An offline donation, checked and ready to be written. */
export interface Recording {
  /**
   * As `DonationChanges.draft` made it; the event's currency is filled in, whether its message waits, its shift, and
   * when it was taken, of which `recorded_at` is what the device says.
   */
  readonly donation: DonationRow;
  /** Whether somebody was asked about an unusually large amount and said yes. */
  readonly confirmed: boolean;
  readonly actor: Actor;
  /** What the history says besides who recorded it. */
  readonly reason: string | null;
  /** The request's idempotency key, and the sealed answer to keep under it. */
  readonly idempotency: {
    readonly scope: string;
    readonly key: string;
    readonly digest: Buffer;
    readonly answer: string;
  } | null;
}

export type RecordingResult =
  /** `believed`: when the device says it was taken, where that can be; null where it is taken for made as it arrived. */
  | { readonly kind: 'recorded'; readonly currency: string; readonly believed: Date | null }
  /** The event does not exist or takes no offline donations now. */
  | { readonly kind: 'event-closed' }
  /** More than the settings let one record be, or be without a confirmation. */
  | { readonly kind: 'too-large' | 'unconfirmed'; readonly limit: number }
  /** The event's total would be more than can be counted. */
  | { readonly kind: 'out-of-range'; readonly currency: string }
  /** The event has no such pledge round. */
  | { readonly kind: 'unknown-round' }
  /** Somebody used the idempotency key before. */
  | { readonly kind: 'key-used' };

interface RecordedRow {
  readonly id: string;
  /** Null where the event takes no donations. */
  readonly currency: string | null;
  /** False for one that was refused, or whose key was used before. */
  readonly booked: boolean;
  /** When the device says it was taken, where that can be. */
  readonly believed: Date | null;
  /** The limit that refused it, minor units. */
  readonly tooLargeFor: bigint | null;
  readonly askedAbove: bigint | null;
  /** Whether the event's total has no room for it. */
  readonly outOfRange: boolean | null;
  readonly unknownRound: boolean | null;
}

/**
 * A batch that has no answer by then is given up with its connection, and those who wait ask again under their
 * keys. The server gives up earlier by itself, unless the network swallows what it says.
 */
const DEADLINE_MS = 10_000;

/** Writes offline donations, those that arrive together in one statement. */
@Injectable()
export class DonationRecorder {
  private readonly batcher = new MicroBatcher<Recording, RecordingResult>(
    (recordings) => this.write(recordings),
    {
      maxBatch: 64,
      maxWaiting: 10_000,
      laneOf: ({ donation }) => donation.event_id,
      maxRunning: 4,
    },
  );

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly failures: RecordingFailures,
    backlogs: Backlogs,
  ) {
    backlogs.register('recording', () => this.batcher.oldestMs);
  }

  /** Resolves after the commit. */
  async record(recording: Recording): Promise<RecordingResult> {
    try {
      const result = await this.batcher.add(recording);
      this.failures.succeeded();
      return result;
    } catch (error) {
      this.failures.failed(error);
      throw error;
    }
  }

  private async write(recordings: readonly Recording[]): Promise<RecordingResult[]> {
    const [first] = recordings;
    if (!first) return [];
    const event = first.donation.event_id;
    const input = JSON.stringify(recordings.map(toInput));
    const rows = await this.database.query<RecordedRow>(RECORD, [input, nextShard(), event], DEADLINE_MS);
    this.relay.raise(event);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return recordings.map(({ donation }) => {
      const row = byId.get(donation.id);
      if (!row?.currency) return { kind: 'event-closed' };
      if (row.tooLargeFor !== null) return { kind: 'too-large', limit: toJsonAmount(row.tooLargeFor) };
      if (row.askedAbove !== null) return { kind: 'unconfirmed', limit: toJsonAmount(row.askedAbove) };
      if (row.outOfRange) return { kind: 'out-of-range', currency: row.currency };
      if (row.unknownRound) return { kind: 'unknown-round' };
      return row.booked
        ? { kind: 'recorded', currency: row.currency, believed: row.believed }
        : { kind: 'key-used' };
    });
  }
}

function toInput({ donation, confirmed, actor, reason, idempotency }: Recording): RecordInput {
  // A new donation is announced at most once.
  const [topic] = topicsOf(undefined, donation);
  const input: RecordInput = {
    history_id: newId(),
    topic,
    confirmed: confirmed || undefined,
    actor_kind: actor.kind,
    actor_id: actor.id ?? undefined,
    reason: reason ?? undefined,
  };
  for (const column of SENT_COLUMNS) {
    const value = donation[column];
    if (value !== null) input[column] = inJson(value);
  }
  if (donation.recorded_at !== null) {
    input.device_time = donation.recorded_at;
    input.review_id = newId();
  }
  if (idempotency !== null) {
    input.key_scope = idempotency.scope;
    input.key = idempotency.key;
    input.key_digest = inJson(idempotency.digest);
    input.answer = idempotency.answer;
  }
  return input;
}

function inJson(value: NonNullable<DonationRow[keyof DonationRow]>): unknown {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'bigint' ? value.toString() : value;
}
