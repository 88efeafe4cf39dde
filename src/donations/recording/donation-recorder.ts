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
import { type EventOfRecords, judge, type Refusal, type SentRecord } from './recording-rules.js';

/** An offline donation, checked and ready to be judged by what its event says. */
export interface Recording extends SentRecord {
  readonly actor: Actor;
  /** What the history says besides who recorded it. */
  readonly reason: string | null;
  /** The request's idempotency key, and the sealed answer to keep under it. */
  readonly idempotency: {
    readonly scope: string;
    readonly key: string;
    readonly digest: Buffer;
    readonly seal: (donation: DonationRow) => string;
  } | null;
}

export type RecordingResult =
  /** The row as it was written, but for its shift; `recorded_at` is null where the device's time was not believed. */
  | { readonly kind: 'recorded'; readonly donation: DonationRow }
  /** Somebody used the idempotency key before. */
  | { readonly kind: 'key-used' }
  | Refusal;

type EventRow = Omit<EventOfRecords, 'settings' | 'rounds'> & {
  readonly overrides: unknown;
  readonly global: unknown;
  readonly rounds: Readonly<Record<string, string>> | null;
};

/**
 * A batch that has no answer by then is given up with its connection, and those who wait ask again under their
 * keys. The server gives up earlier by itself, unless the network swallows what it says.
 */
const DEADLINE_MS = 10_000;

const COLUMNS = columnsWhere(() => true);

/** Writes offline donations, those that arrive together in one transaction and by one statement. */
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

  /** Judges the records of one event under its lock, and writes those that are accepted. */
  private async write(tx: Transaction, recordings: readonly Recording[]): Promise<RecordingResult[]> {
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

/** What the event says of its records; undefined where there is none. */
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
