import type { Principal } from '../common/access/principal.js';
import type { EventRecord } from './event-record.js';
import { eventNotFound } from './event-lookup.service.js';
import { isPublicStatus } from './event-status.js';

/**
 * The event, if this caller may see it: a draft or an archived one only admins and the event's own staff.
 * @throws NotFoundError `EVENT_NOT_FOUND`, the same as for an event that does not exist
 */
export function visibleTo(viewer: Principal | undefined, event: EventRecord): EventRecord {
  const insider = viewer?.role === 'ADMIN' || viewer?.eventId === event.id;
  if (!insider && !isPublicStatus(event.status)) throw eventNotFound();
  return event;
}
