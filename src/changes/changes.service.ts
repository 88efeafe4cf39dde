import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiKeyCheck } from '../auth/api-keys/api-key-check.service.js';
import { can, isApiKey, type Principal, reachesEvent } from '../common/access/principal.js';
import { InvalidInputError, UnauthorizedError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { shownTo } from '../donations/donors/hidden-donors.js';
import { type DonationDto, toDonation } from '../donations/dto/donation.dto.js';
import { claimsOn } from '../donations/store/claims.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { type ChangePlace, readCursor, writeCursor } from './change-cursor.js';
import { type ChangeWait, ChangeWaits } from './change-waits.js';
import { AFTER, DONATIONS, HEAD, type PlacedRow } from './changes.sql.js';
import {
  CHANGE_TYPES,
  type ChangeDto,
  type Changes,
  type ChangeType,
  type ListChanges,
} from './dto/change.dto.js';

const DEFAULT_LIMIT = 100;
/** Positions that one query reads. A key that sees few events passes over the others in such steps. */
const WINDOW = 2_000n;
const WINDOWS = 10;
/** Messages stay for 48 hours. The hour covers messages that were numbered late. */
const SURELY_KEPT_MS = 47 * 3_600_000;
/** Interval of reads without a notification, because a notification can be lost. */
const POLL_MS = 5_000;
/** A notification arrives with the first commits of a burst. The others share the next read. */
const COALESCE_MS = 40;

interface Placed extends PlacedRow {
  readonly position: bigint;
  readonly topic: ChangeType;
}

interface Wanted {
  readonly topics: ReadonlySet<string>;
  readonly limit: number;
}

/** Lists the changes of all events in the order in which they were numbered. */
@Injectable()
export class ChangesService {
  constructor(
    private readonly database: Database,
    private readonly waits: ChangeWaits,
    private readonly keys: ApiKeyCheck,
  ) {}

  /**
   * Returns the changes after a cursor. If there is none, waits for a change without a database connection.
   * @param onGone registers a function that the client's disconnection calls
   * @throws InvalidInputError `CURSOR_INVALID`
   * @throws UnauthorizedError if the sign-in ended during the wait
   */
  async list(
    caller: Principal,
    { after, topics = [...CHANGE_TYPES], limit = DEFAULT_LIMIT, wait = 0 }: ListChanges,
    onGone: (end: () => void) => void,
  ): Promise<Changes> {
    const wanted = { topics: new Set(topics), limit };
    if (!after) return atPresent(await this.head());
    const place = readCursor(after);
    if (!place) throw new InvalidInputError('CURSOR_INVALID', 'after is not a cursor of this list');
    const waiting = wait > 0 ? this.waits.join(caller) : undefined;
    if (!waiting) return await this.read(caller, place, wanted);
    onGone(() => {
      waiting.end();
    });
    try {
      return await this.waitFor(waiting, place, wanted, Date.now() + wait * 1_000);
    } finally {
      this.waits.leave(waiting);
    }
  }

  private async waitFor(
    waiting: ChangeWait,
    place: ChangePlace,
    wanted: Wanted,
    until: number,
  ): Promise<Changes> {
    let from = place;
    let { caller } = waiting;
    for (;;) {
      const page = await this.read(caller, from, wanted);
      const left = until - Date.now();
      if (page.data.length > 0 || page.hasMore || page.resync || left <= 0 || waiting.isOver()) return page;
      // The messages up to here are not for this caller.
      from = readCursor(page.next) ?? from;
      await waiting.next(Math.min(left, POLL_MS));
      caller = await this.stillSignedIn(waiting);
      if (!waiting.isOver() && Date.now() < until) await pause(COALESCE_MS);
    }
  }

  /** @throws UnauthorizedError */
  private async stillSignedIn({ caller, isRevoked }: ChangeWait): Promise<Principal> {
    if (!isApiKey(caller)) {
      if (isRevoked) throw new UnauthorizedError();
      return caller;
    }
    const now = await this.keys.current(caller.id);
    if (!now || !can(now, 'changes:read')) throw new UnauthorizedError();
    return now;
  }

  private async head(): Promise<bigint> {
    const [row] = await this.database.query<{ position: bigint }>(HEAD);
    return row?.position ?? 0n;
  }

  private async read(caller: Principal, place: ChangePlace, wanted: Wanted): Promise<Changes> {
    let from = place;
    for (let count = 1; ; count++) {
      const askedAt = Date.now();
      const rows = await this.database.query<PlacedRow>(AFTER, [from.position, WINDOW]);
      const head = rows[0]?.head ?? 0n;
      const end = head - from.position > WINDOW ? from.position + WINDOW : head;
      const found = rows.filter(isPlaced);
      // The head is behind the cursor after the restore of a backup.
      if (end < from.position || isDeleted(found, from, end)) return atPresent(head, true);
      const mine = found.filter((row) => wanted.topics.has(row.topic) && reachesEvent(caller, row.event_id));
      const shown = mine.slice(0, wanted.limit);
      const last = shown.at(-1);
      const isFull = mine.length > shown.length;
      const next =
        isFull && last
          ? placeOf(last)
          : {
              position: end,
              time: end === head ? askedAt : (found.at(-1)?.created_at.getTime() ?? from.time),
            };
      const hasMore = next.position < head;
      if (shown.length > 0 || !hasMore || count === WINDOWS)
        return { data: await this.changes(caller, shown), next: writeCursor(next), hasMore };
      from = next;
    }
  }

  private async changes(caller: Principal, rows: readonly Placed[]): Promise<ChangeDto[]> {
    const donations = await this.donations(caller, rows);
    return rows.flatMap((row) => {
      const { event_id: eventId, donation_id: donationId, round_id: roundId, subject_id: subjectId } = row;
      const id = roundId ?? subjectId;
      const data =
        donationId !== null ? donations.get(donationId) : id === null ? undefined : { id, eventId };
      // The donation was deleted together with a rehearsal.
      if (!data) return [];
      const occurredAt = row.created_at.toISOString();
      return [{ cursor: writeCursor(placeOf(row)), type: row.topic, occurredAt, data }];
    });
  }

  private async donations(
    caller: Principal,
    rows: readonly Placed[],
  ): Promise<ReadonlyMap<string, DonationDto>> {
    const ids = [...new Set(rows.flatMap(({ donation_id }) => donation_id ?? []))];
    if (ids.length === 0) return new Map();
    const found = await this.database.query<DonationRow>(DONATIONS, [ids]);
    const claims = await claimsOn(this.database, found);
    return new Map(found.map((row) => [row.id, shownTo(caller, toDonation(row, claims.get(row.id)))]));
  }
}

const atPresent = (head: bigint, resync?: true): Changes => ({
  data: [],
  next: writeCursor({ position: head, time: Date.now() }),
  hasMore: false,
  // JSON omits a field whose value is undefined.
  resync,
});

const isPlaced = (row: PlacedRow): row is Placed => row.position !== null;

const placeOf = ({ position, created_at: time }: Placed): ChangePlace => ({ position, time: time.getTime() });

/**
 * True if messages between the cursor and the end may have been deleted because of their age. Messages of a deleted event are
 * missing too, and no client needs them.
 */
const isDeleted = (found: readonly Placed[], from: ChangePlace, end: bigint): boolean =>
  BigInt(found.length) < end - from.position && from.time < Date.now() - SURELY_KEPT_MS;
