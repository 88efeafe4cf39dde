import { Injectable } from '@nestjs/common';
import { answerCache } from '../common/caching/answer-cache.js';
import { MicroBatcher } from '../common/concurrency/concurrency.js';
import { Database } from '../data/database.js';
import { KEPT } from '../outbox/outbox.sql.js';
import { FeedSubjects } from './feed-subjects.js';
import {
  groupByEvent,
  LiveFeed,
  type PublicDonationRow,
  type RoundRow,
  toFeedMessage,
  toPublicDonation,
  toRound,
} from './live-feed.service.js';
import type { FeedMessage, Snapshot, TotalsMessage } from './live-messages.js';
import { MISSED, NEWEST, OPEN_ROUNDS } from './live.sql.js';
import type { WallState } from './wall-controls.js';

/** Maximum number of messages in a replay. For a longer gap, one snapshot contains the same information. */
export const REPLAY_LIMIT = 500;
const SNAPSHOT_DONATIONS = 30;
const SNAPSHOT_KEPT_MS = 1_000;
/**
 * Limits of the shared reads. Joins of one event share a read, because all walls and phones of a venue reconnect at once after
 * a restart.
 */
const JOINS_AT_ONCE = { maxBatch: 5_000, maxWaiting: 50_000, restMs: 10 };

/** The messages that a socket needs to reach `sequence`. */
export type CatchUp =
  | { readonly kind: 'replay'; readonly sequence: number; readonly messages: readonly FeedMessage[] }
  | { readonly kind: 'resync'; readonly sequence: number };

/** Data of a snapshot. Sockets that ask for the same position in a feed share this data. */
export interface KeptSnapshot {
  readonly shown: Omit<Snapshot, 'wall' | 'held'>;
  /** The totals of the snapshot as a message, as they are broadcast. */
  readonly totals: TotalsMessage;
  /** Time from which walls may show each donation, by id. */
  readonly arrivedAt: ReadonlyMap<string, Date>;
}

interface Asked {
  readonly eventId: string;
  readonly since: number | null;
}

/** A message after `since`. If there is no such message, one row without a message. */
interface MissedRow extends Omit<PublicDonationRow, 'donation_id'> {
  readonly event_id: string;
  readonly last_sequence: bigint;
  readonly topic: string;
  readonly sequence: bigint | null;
  /** The donation whose id is in the outbox row. */
  readonly named_id: string | null;
  /** The pledge round whose id is in the outbox row. */
  readonly named_round: string | null;
  /** The subject of another module whose id is in the outbox row. */
  readonly subject_id: string | null;
  /** Null if the donation no longer exists. The other columns of the donation are then null too. */
  readonly donation_id: string | null;
}

export interface NewestRow extends PublicDonationRow {
  readonly event_id: string;
  /** Decides if the donation arrived while walls were paused. Not sent to sockets. */
  readonly arrived_at: Date;
}

/** Reads missed messages, totals and snapshots for joining sockets. Simultaneous requests share one read. */
@Injectable()
export class CatchUps {
  private readonly missed = new MicroBatcher<Asked, CatchUp>(
    (asked) => this.readMissed(asked),
    JOINS_AT_ONCE,
  );
  private readonly waitingTotals = new MicroBatcher<string, TotalsMessage | undefined>(
    (ids) => this.feed.readTotals(ids),
    JOINS_AT_ONCE,
  );

  /**
   * Each of these readers runs only one query at a time, for all events together. The other database connections are for
   * recording.
   */
  private readonly newest = new MicroBatcher<string, readonly NewestRow[]>(
    (ids) => this.readNewest(ids),
    JOINS_AT_ONCE,
  );
  private readonly openRounds = new MicroBatcher<string, RoundRow | undefined>(
    (ids) => this.readOpenRounds(ids),
    JOINS_AT_ONCE,
  );
  private readonly snapshots = answerCache<string, KeptSnapshot, { eventId: string; sequence: number }>(
    { max: 500, keptMs: SNAPSHOT_KEPT_MS },
    async (_, { context: { eventId, sequence } }) => {
      const [totals, donations, round, parts] = await Promise.all([
        this.totalsOf(eventId),
        this.newest.add(eventId),
        this.openRounds.add(eventId),
        this.subjects.partsOf(eventId),
      ]);
      return (
        totals && {
          totals,
          shown: {
            ...totals,
            sequence,
            donations: donations.map((row) => toPublicDonation(eventId, row)),
            ...(round && { pledgeRound: toRound(round) }),
            ...parts,
          },
          arrivedAt: new Map(donations.map((row) => [row.donation_id, row.arrived_at])),
        }
      );
    },
  );

  constructor(
    private readonly database: Database,
    private readonly feed: LiveFeed,
    private readonly subjects: FeedSubjects,
  ) {}

  /**
   * Returns the messages after `since`, in order, or no messages if `since` is null. The result is `resync` if there are too
   * many messages, if messages are no longer stored, or if `since` is after the end of the feed. The data includes everything
   * committed before the call.
   */
  async catchUp(eventId: string, since: number | null): Promise<CatchUp> {
    return await this.missed.add({ eventId, since });
  }

  /** Returns the totals of one event; undefined if the event does not exist. */
  async totalsOf(eventId: string): Promise<TotalsMessage | undefined> {
    return await this.waitingTotals.add(eventId);
  }

  /**
   * Returns the newest donations and the totals. The snapshot contains all changes up to `sequence`, and perhaps newer ones.
   * Requests for the same position in a feed share one snapshot for a second.
   */
  async snapshot(eventId: string, sequence: number): Promise<KeptSnapshot | undefined> {
    return await this.snapshots.fetch(keyOf(eventId, sequence), { context: { eventId, sequence } });
  }

  /** Returns the newest completed donations of one event, newest first. Simultaneous requests share a query. */
  async newestOf(eventId: string): Promise<readonly NewestRow[]> {
    return await this.newest.add(eventId);
  }

  private async readOpenRounds(eventIds: readonly string[]): Promise<(RoundRow | undefined)[]> {
    const rows = await this.database.query<RoundRow>(OPEN_ROUNDS, [[...new Set(eventIds)]]);
    const byEvent = new Map(rows.map((row) => [row.event_id, row]));
    return eventIds.map((id) => byEvent.get(id));
  }

  private async readNewest(eventIds: readonly string[]): Promise<(readonly NewestRow[])[]> {
    const rows = await this.database.query<NewestRow>(NEWEST, [[...new Set(eventIds)], SNAPSHOT_DONATIONS]);
    const byEvent = groupByEvent(rows);
    return eventIds.map((id) => byEvent.get(id) ?? []);
  }

  private async readMissed(asked: readonly Asked[]): Promise<CatchUp[]> {
    // One read for each event. The read starts at the lowest position that a socket asked for.
    const from = new Map<string, number | null>();
    for (const { eventId, since } of asked) {
      const before = from.get(eventId) ?? null;
      from.set(eventId, since === null || (before !== null && before < since) ? before : since);
    }
    const rows = await this.database.query<MissedRow>(MISSED, [
      [...from.keys()],
      [...from.values()],
      REPLAY_LIMIT,
      KEPT,
    ]);
    const byEvent = groupByEvent(rows);
    const [rounds, subjects] = await Promise.all([
      this.feed.readRounds(rows.map(({ named_round }) => named_round)),
      this.subjects.statesOf(rows),
    ]);
    return asked.map(({ eventId, since }) =>
      catchUpFrom(since, byEvent.get(eventId) ?? [], rounds, subjects),
    );
  }
}

/** Adds the current wall state to a snapshot. The wall state is never cached. */
export function toSnapshot({ shown, arrivedAt }: KeptSnapshot, wall: WallState): Snapshot {
  const { control, pausedAt } = wall;
  if (!control.paused || pausedAt === null) return { ...shown, wall: control };
  const held = shown.donations.filter(({ id }) => isHeld(arrivedAt.get(id), wall));
  return { ...shown, wall: control, held: held.map(({ id }) => id) };
}

/** True if walls must not show a donation yet, because it arrived during the current pause. */
export const isHeld = (arrivedAt: Date | undefined, { control, pausedAt }: WallState): boolean =>
  control.paused && pausedAt !== null && (arrivedAt?.getTime() ?? 0) >= pausedAt;

const keyOf = (eventId: string, sequence: number): string => `${eventId}:${sequence}`;

function catchUpFrom(
  since: number | null,
  rows: readonly MissedRow[],
  rounds: ReadonlyMap<string, RoundRow>,
  subjects: ReadonlyMap<string, object>,
): CatchUp {
  const sequence = Number(rows[0]?.last_sequence ?? 0);
  if (since === null) return { kind: 'replay', sequence, messages: [] };
  const missed = rows.filter((row) => row.sequence !== null && Number(row.sequence) > since);
  // If any message of the replay is missing, the client must load a snapshot instead.
  if (sequence < since || missed.length !== sequence - since) return { kind: 'resync', sequence };
  return {
    kind: 'replay',
    sequence,
    messages: missed.map((row) =>
      toMissedMessage(row, rounds.get(row.named_round ?? ''), subjects.get(row.subject_id ?? '')),
    ),
  };
}

function toMissedMessage(
  row: MissedRow,
  round: RoundRow | undefined,
  subject: object | undefined,
): FeedMessage {
  const { donation_id: id } = row;
  return toFeedMessage(
    {
      event_id: row.event_id,
      topic: row.topic,
      donation_id: row.named_id,
      round_id: row.named_round,
      subject_id: row.subject_id,
      sequence: row.sequence ?? 0n,
    },
    id === null ? undefined : { ...row, donation_id: id },
    round,
    subject,
  );
}
