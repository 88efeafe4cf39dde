import { reachesEvent } from '../common/access/capabilities.js';
import type { Principal } from '../common/access/principal.js';
import type { EventRecord } from './event-record.js';
import { eventNotFound } from './event-lookup.service.js';
import { isPublicStatus } from './event-status.js';

/**
 * The event, if this caller may see it: a draft or an archived one only those whose scope it is in.
 * @throws NotFoundError `EVENT_NOT_FOUND`, the same as for an event that does not exist
 */
export function visibleTo(viewer: Principal | undefined, event: EventRecord): EventRecord {
  const insider = viewer !== undefined && reachesEvent(viewer, event.id);
  if (!insider && !isPublicStatus(event.status)) throw eventNotFound();
  return event;
}
