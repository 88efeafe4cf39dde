import { isRehearsal } from '../common/crypto/rehearsal-ids.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { Audit } from '../audit/audit.js';
import { afterCommit, isPrismaForeignKey, isPrismaMissing, PrismaService } from '../data/prisma.service.js';
import type { DeletedEventDto } from './dto/event.dto.js';
import { EventLookup } from './event-lookup.service.js';
import { eventNotFound } from './event-record.js';

const hasRehearsal = () => new ConflictError('EVENT_HAS_REHEARSAL', 'End the rehearsal of the event instead');

/** The error for each foreign key that prevents the delete. */
const KEPT_BY = {
  donation_event_id_fkey: () =>
    new ConflictError('EVENT_HAS_DONATIONS', 'An event with donations cannot be deleted; archive it instead'),
  shift_event_id_fkey: () =>
    new ConflictError('EVENT_HAS_SHIFTS', 'An event with shifts cannot be deleted; archive it instead'),
  event_rehearsal_of_fkey: hasRehearsal,
} as const;

/** Deletes events that have no donations and no shifts. */
@Injectable()
export class EventRemoval {
  constructor(
    private readonly prisma: PrismaService,
    private readonly lookup: EventLookup,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * Deletes an event and its staff assignments. This ends the sessions of the event's staff.
   * @param ref id or slug
   * @throws ConflictError `EVENT_HAS_DONATIONS`, `EVENT_HAS_SHIFTS`, `EVENT_HAS_REHEARSAL` when a foreign key prevents the delete
   */
  async remove(ref: string, actor: Principal): Promise<DeletedEventDto> {
    const { id, slug } = await this.lookup.get(ref);
    // The end of a rehearsal also deletes the rows that no foreign key deletes.
    if (isRehearsal(id)) throw hasRehearsal();
    try {
      await this.prisma.transaction(async (tx) => {
        // The delete also removes the assignments. The removed assignments show which members' sessions must end.
        const { assignments } = await tx.event.delete({
          where: { id },
          select: { assignments: { select: { staffId: true } } },
        });
        await this.audit.record(actorOf(actor), 'event.delete', id, { slug }, tx);
        afterCommit(tx, () => {
          this.changes.announce(id);
          for (const { staffId } of assignments) this.sessions.revoked(`staff:${staffId}`);
        });
      });
    } catch (error) {
      for (const [constraint, refusal] of Object.entries(KEPT_BY))
        if (isPrismaForeignKey(error, constraint)) throw refusal();
      throw isPrismaMissing(error) ? eventNotFound() : error;
    }
    return { id, deleted: true };
  }
}
