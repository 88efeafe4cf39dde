import { Injectable } from '@nestjs/common';
import type { Actor } from '../../common/access/principal.js';
import { newId } from '../../common/crypto/ids.js';
import { MicroBatcher, Backlogs } from '../../common/concurrency/concurrency.js';
import { RecordingFailures } from '../../common/recording-failures.js';
import { Database, type Transaction } from '../../data/database.js';
import { Outbox } from '../../outbox/outbox.js';
import { settingsInForce } from '../../settings/stored-settings.js';
import { asksForPromised } from '../../totals/range-of-totals.js';
import { nextShard } from '../../totals/totals.js';
import { columnsWhere, type DonationRow } from '../store/donation-columns.js';
import { LOCK_EVENT, RECORD, type RecordInput } from './donation-recorder.sql.js';
import { countedOf, messagesOf } from '../lifecycle/donation-changes.js';
import {
  type EventOfRecords,
  judge,
  type Refusal,
  type SentRecord,
  type Verdict,
} from './recording-rules.js';

/** A validated offline donation, before the rules of its event are applied. */
export interface Recording extends SentRecord {
  readonly actor: Actor;
  /** Reason for the history entry. */
  readonly reason: string | null;
  /** The request's idempotency key, and the encrypted response stored with it. */
  readonly idempotency: {
    readonly scope: string;
    readonly key: string;
    readonly digest: Buffer;
    readonly seal: (donation: DonationRow) => string;
  } | null;
}

export type RecordingResult =
  /** The written row without its shift. `recorded_at` is null if the device time was rejected. */
  | { readonly kind: 'recorded'; readonly donation: DonationRow }
  /** The idempotency key was already used. */
  | { readonly kind: 'key-used' }
  | Refusal;

type EventRow = Omit<EventOfRecords, 'settings' | 'rounds'> & {
  readonly overrides: unknown;
  readonly global: unknown;
  readonly rounds: Readonly<Record<string, string>> | null;
};

/**
 * Maximum time for the write of a batch. After this time the server abandons the batch and closes the connection, and the
 * clients repeat their requests with the same keys. PostgreSQL has a shorter timeout, but a broken network can lose its error.
 */
const DEADLINE_MS = 10_000;

const COLUMNS = columnsWhere(() => true);

/** Writes offline donations. Donations that arrive together share one transaction and one statement. */
@Injectable()
export class DonationRecorder {
  private readonly batcher = new MicroBatcher<Recording, RecordingResult>(
    (recordings) => this.database.transaction((tx) => this.write(tx, recordings), DEADLINE_MS),
    {
      maxBatch: 64,
      maxWaiting: 10_000,
      laneOf: ({ donation }) => donation.event_id,
      maxRunning: 4,
    },
  );

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
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

  /** Applies the rules to records of one event, without writing them. */
  async judge(recordings: readonly Recording[]): Promise<Verdict[]> {
    const eventId = recordings[0]?.donation.event_id ?? '';
    return await this.database.transaction(async (tx) =>
      judge(recordings, await lockEvent(tx, eventId, recordings)),
    );
  }

  /**
   * Locks the event of the records, applies the rules to the records, and writes the accepted records. All records are of one
   * event.
   */
  async write(tx: Transaction, recordings: readonly Recording[]): Promise<RecordingResult[]> {
    const eventId = recordings[0]?.donation.event_id ?? '';
    const verdicts = judge(recordings, await lockEvent(tx, eventId, recordings));
    const inputs = recordings.flatMap((recording, index) => {
      const verdict = verdicts[index];
      return verdict?.kind === 'accepted' ? [toInput(recording, verdict.donation)] : [];
    });
    const rows =
      inputs.length === 0
        ? []
        : await tx.query<{ id: string }>(RECORD, [JSON.stringify(inputs), nextShard()]);
    this.outbox.raiseAfter(tx, eventId);
    const written = new Set(rows.map(({ id }) => id));
    return verdicts.map((verdict) => {
      if (verdict.kind !== 'accepted') return verdict;
      const { donation } = verdict;
      return written.has(donation.id) ? { kind: 'recorded', donation } : { kind: 'key-used' };
    });
  }
}

/** Locks the event and reads its data for the rules; undefined if it does not exist. */
async function lockEvent(
  tx: Transaction,
  eventId: string,
  recordings: readonly Recording[],
): Promise<EventOfRecords | undefined> {
  const isLarge = recordings.some(
    ({ donation }) => donation.type === 'pledge' && asksForPromised(donation.amount),
  );
  const rounds = recordings.flatMap(({ donation }) => donation.round_id ?? []);
  const [event] = await tx.query<EventRow>(LOCK_EVENT, [eventId, isLarge, rounds]);
  return (
    event && {
      ...event,
      settings: settingsInForce(event.global, event.overrides),
      rounds: event.rounds ?? {},
    }
  );
}

function toInput(
  { actor, reason, idempotency, donation: { recorded_at: said } }: Recording,
  donation: DonationRow,
): RecordInput {
  const input: RecordInput = {
    history_id: newId(),
    actor_kind: actor.kind,
    actor_id: actor.id ?? undefined,
    reason: reason ?? undefined,
    adds: countedOf(donation)?.net.toString(),
  };
  for (const column of COLUMNS) {
    const value = donation[column];
    if (value !== null) input[column] = inJson(value);
  }
  for (const { topic, roundId } of messagesOf(undefined, donation))
    input[roundId === null ? 'topic' : 'round_topic'] = topic;
  if (said !== null && donation.recorded_at === null) {
    input.review_id = newId();
    input.review_detail = { sent: said, used: donation.created_at };
  }
  if (idempotency !== null) {
    input.key_scope = idempotency.scope;
    input.key = idempotency.key;
    input.key_digest = inJson(idempotency.digest);
    input.answer = idempotency.seal(donation);
  }
  return input;
}

function inJson(value: NonNullable<DonationRow[keyof DonationRow]>): unknown {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'bigint' ? value.toString() : value;
}
