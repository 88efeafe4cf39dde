import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { ConflictError, NotFoundError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { Rehearsals } from '../rehearsals.service.js';
import { NO_FIGURES, type Percentiles, type PlayDto, type PlayEvening } from './dto/play.dto.js';
import { EveningPlayer } from './evening-player.js';
import { END_PLAY, EVENT_WITHIN_A_DAY, PLAY_OF, type PlayRow, START_PLAY } from './play.sql.js';

/** Donations per second that need a confirmation on the day before an event. */
const FAST = 2;

/** Starts, reads and stops the played evening of a rehearsal. */
@Injectable()
export class Plays {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly rehearsals: Rehearsals,
    private readonly player: EveningPlayer,
    private readonly audit: Audit,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND`, `REHEARSAL_NOT_FOUND`, `REHEARSAL_PLAY_NOT_FOUND` */
  async get(ref: string): Promise<PlayDto> {
    const row = await this.of((await this.rehearsals.get(ref)).eventId);
    if (!row) throw new NotFoundError('REHEARSAL_PLAY_NOT_FOUND', 'No evening was played in this rehearsal');
    return toPlay(row);
  }

  /**
   * @throws NotFoundError `EVENT_NOT_FOUND`, `REHEARSAL_NOT_FOUND`
   * @throws ConflictError `REHEARSAL_PLAYING`, `REHEARSAL_PLAY_TOO_FAST`
   */
  async start(caller: Principal, ref: string, { confirm, ...profile }: PlayEvening): Promise<PlayDto> {
    const { id: realId } = await this.events.get(ref);
    const { eventId } = await this.rehearsals.get(ref);
    if (!confirm && profile.guests / (profile.minutes * 60) > FAST && (await this.eventIsNear()))
      throw new ConflictError(
        'REHEARSAL_PLAY_TOO_FAST',
        `More than ${FAST} donations per second on the day before an event need "confirm": true`,
      );
    const mark = `played-${randomBytes(6).toString('hex')}`;
    await this.database.transaction(async (tx) => {
      const started = await tx.query(START_PLAY, [eventId, mark, JSON.stringify(profile), caller.id]);
      if (started.length === 0)
        throw new ConflictError('REHEARSAL_PLAYING', 'An evening is being played, or the rehearsal ended');
      await this.audit.record(actorOf(caller), 'rehearsal.play', realId, {}, tx);
      tx.afterCommit(() => {
        this.player.begin(eventId);
      });
    });
    return await this.get(ref);
  }

  /** Stops after the current guests. A repeat changes nothing. */
  async stop(caller: Principal, ref: string): Promise<PlayDto> {
    const { id: realId } = await this.events.get(ref);
    const { eventId } = await this.rehearsals.get(ref);
    await this.database.transaction(async (tx) => {
      if ((await tx.query(END_PLAY, [eventId, 'stopped'])).length > 0)
        await this.audit.record(actorOf(caller), 'rehearsal.stop', realId, {}, tx);
    });
    return await this.get(ref);
  }

  async of(eventId: string): Promise<PlayRow | undefined> {
    return (await this.database.query<PlayRow>(PLAY_OF, [eventId]))[0];
  }

  private async eventIsNear(): Promise<boolean> {
    const [row] = await this.database.query<{ found: boolean }>(EVENT_WITHIN_A_DAY);
    return row?.found ?? false;
  }
}

export const toPlay = (row: PlayRow): PlayDto => ({
  profile: row.profile,
  startedAt: row.started_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
  reason: row.reason,
  done: row.done,
  figures: { ...NO_FIGURES, ...row.figures },
  intent: percentiles(row.intent_ms),
  record: percentiles(row.record_ms),
  wall: percentiles(row.wall_ms),
});

function percentiles(milliseconds: readonly number[]): Percentiles {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { p50: at(0.5), p99: at(0.99) };
}
