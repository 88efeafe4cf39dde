import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { newId } from '../common/crypto/ids.js';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { Outbox } from '../outbox/outbox.js';
import type { ShowWallMoment, WallMomentDto } from './dto/wall-moment.dto.js';
import { DELETE_OLD_MOMENTS, INSERT_MOMENT } from './wall-moments.sql.js';

const BATCH = 500;

/** Moments that an admin calls by hand. All walls of the event show them once, for some seconds. */
@Injectable()
export class WallMoments {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /**
   * @throws ConflictError `EVENT_HAS_NO_WALL`
   * @throws InvalidInputError `EVENT_REQUIRED`
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async show(
    caller: Principal,
    { eventId: ref, title, text, seconds }: ShowWallMoment,
  ): Promise<WallMomentDto> {
    if (!ref) throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    const { id: eventId } = await this.events.get(ref);
    const id = newId();
    return await this.database.transaction(async (tx) => {
      const values = [id, eventId, title, text ?? null, seconds];
      const [stored] = await tx.query<{ created_at: Date }>(INSERT_MOMENT, values);
      if (!stored) throw new ConflictError('EVENT_HAS_NO_WALL', 'A draft or archived event has no walls');
      this.outbox.append(tx, { topic: 'wall.moment', eventId, subjectId: id });
      await this.audit.record(actorOf(caller), 'wall_moment.show', id, { eventId }, tx);
      return { id, eventId, title, text: text ?? null, seconds, createdAt: stored.created_at.toISOString() };
    });
  }

  /** Deletes one batch of old moments and returns their number. */
  @Cron('*/15 * * * *')
  async delete(): Promise<number> {
    return (await this.database.query(DELETE_OLD_MOMENTS, [BATCH])).length;
  }
}
