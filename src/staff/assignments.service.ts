import { actorOf, can, reachesEvent, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { Audit } from '../audit/audit.js';
import { isPrismaForeignKey, isPrismaMissing, PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import {
  type AssignedStaff,
  type Assignment,
  type ListStaff,
  type Removed,
  toAssignment,
  toColleague,
  toStaffMember,
} from './dto/staff.dto.js';
import { Pins } from './pins.js';
import { memberMissing, sealedPin } from './staff.service.js';

/** Assignments of staff to events. */
@Injectable()
export class AssignmentsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly events: EventLookup,
    private readonly pins: Pins,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns the members of an event. PINs are included if the caller may see them and does not decline them. The audit log
   * records this view of the PINs.
   */
  async list(caller: Principal, eventRef: string, { pins = true }: ListStaff = {}): Promise<AssignedStaff[]> {
    const event = await this.events.get(eventRef);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    const members = await (
      await this.prisma.client()
    ).staffMember.findMany({
      where: { deletedAt: null, assignments: { some: { eventId: event.id } } },
      orderBy: { id: 'asc' },
    });
    if (!pins || !can(caller, 'staff:see-pins')) return members.map(toColleague);
    await this.audit.record(actorOf(caller), 'staff.see_pins', event.id);
    return members.map((member) => toStaffMember(member, this.pins.show(sealedPin(member))));
  }

  /** Assigns a member to an event. If the member is already assigned, returns the existing assignment. */
  async assign(actor: Principal, eventRef: string, staffId: string): Promise<Assignment> {
    const event = await this.events.get(eventRef);
    if (!isId(staffId)) throw memberMissing();
    const assignment = { eventId: event.id, staffId: staffId.toLowerCase() };
    try {
      return await this.prisma.transaction(async (tx) => {
        if (!(await tx.staffMember.findUnique({ where: { id: staffId, deletedAt: null } })))
          throw memberMissing();
        const { count } = await tx.eventStaff.createMany({ data: [assignment], skipDuplicates: true });
        if (count > 0)
          await this.audit.record(
            actorOf(actor),
            'staff.assign',
            assignment.staffId,
            { eventId: event.id },
            tx,
          );
        return toAssignment(
          await tx.eventStaff.findUniqueOrThrow({ where: { eventId_staffId: assignment } }),
        );
      });
    } catch (error) {
      // The event was deleted at the same time.
      throw isPrismaMissing(error) || isPrismaForeignKey(error) ? eventNotFound() : error;
    }
  }

  /** Removes an assignment and ends the member's sessions at this event. Sessions at other events continue. */
  async unassign(actor: Principal, eventRef: string, staffId: string): Promise<Removed> {
    const event = await this.events.get(eventRef);
    const assignment = { eventId: event.id, staffId: staffId.toLowerCase() };
    await this.prisma.transaction(async (tx) => {
      const { count } = isId(staffId) ? await tx.eventStaff.deleteMany({ where: assignment }) : { count: 0 };
      if (count === 0)
        throw new NotFoundError('ASSIGNMENT_NOT_FOUND', 'This staff member is not assigned to this event');
      await this.audit.record(
        actorOf(actor),
        'staff.unassign',
        assignment.staffId,
        { eventId: event.id },
        tx,
      );
    });
    this.sessions.revoked(`staff:${assignment.staffId}`);
    return { id: assignment.staffId, deleted: true };
  }
}
