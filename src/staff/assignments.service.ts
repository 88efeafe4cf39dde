import { Injectable } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import type { Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/ids.js';
import { Audit } from '../data/audit.js';
import { Database, type SqlExecutor } from '../data/database.js';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';
import {
  type AssignedStaff,
  type Assignment,
  type Removed,
  toAssignment,
  toColleague,
} from './dto/staff.dto.js';
import { Pins } from './pins.js';
import { memberMissing } from './staff.service.js';
import {
  ASSIGN,
  type AssignmentRow,
  GET_ASSIGNMENT,
  LIST_ASSIGNED,
  type StaffRow,
  UNASSIGN,
} from './staff.sql.js';

/** Who collects at which event. */
@Injectable()
export class AssignmentsService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly pins: Pins,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
  ) {}

  /** The members of an event: with PINs to admins, without to the members themselves. */
  async list(caller: Principal, eventRef: string): Promise<AssignedStaff[]> {
    const event = await this.events.get(eventRef);
    // Another event is one that does not exist, to staff.
    if (caller.role === 'STAFF' && caller.eventId !== event.id) throw eventNotFound();
    const rows = await this.database.query<StaffRow>(LIST_ASSIGNED, [event.id]);
    if (caller.role === 'STAFF') return rows.map(toColleague);
    return rows.map((row) => ({ ...toColleague(row), code: this.pins.show(row.pin_sealed) }));
  }

  /** Assigning again changes nothing and answers the same assignment. */
  async assign(actor: Principal, eventRef: string, staffId: string): Promise<Assignment> {
    const event = await this.events.get(eventRef);
    if (!isId(staffId)) throw memberMissing();
    return await this.database.transaction(async (tx) => {
      const [created] = await tx.query<AssignmentRow>(ASSIGN, [event.id, staffId]);
      if (created) {
        await this.audit.record(actor, 'staff.assign', created.staff_id, { eventId: event.id }, tx);
        return toAssignment(created);
      }
      const standing = await this.standing(tx, event.id, staffId);
      if (!standing) throw memberMissing();
      return toAssignment(standing);
    });
  }

  /** Ends the member's sessions at this event; those at other events go on. */
  async unassign(actor: Principal, eventRef: string, staffId: string): Promise<Removed> {
    const event = await this.events.get(eventRef);
    const removed = await this.database.transaction(async (tx) => {
      const [row] = isId(staffId) ? await tx.query<{ staff_id: string }>(UNASSIGN, [event.id, staffId]) : [];
      if (!row)
        throw new NotFoundError('ASSIGNMENT_NOT_FOUND', 'This staff member is not assigned to this event');
      await this.audit.record(actor, 'staff.unassign', row.staff_id, { eventId: event.id }, tx);
      return row.staff_id;
    });
    this.sessions.revoked(`staff:${removed}`);
    return { id: removed, deleted: true };
  }

  private async standing(
    executor: SqlExecutor,
    eventId: string,
    staffId: string,
  ): Promise<AssignmentRow | undefined> {
    const [row] = await executor.query<AssignmentRow>(GET_ASSIGNMENT, [eventId, staffId]);
    return row;
  }
}
