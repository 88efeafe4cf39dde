import { type Principal, reachesEvent } from '../common/access/principal.js';
import { eventNotFound, type EventRecord } from './event-lookup.service.js';

/** The states of an event. */
export const EVENT_STATUSES = ['draft', 'active', 'paused', 'closed', 'archived'] as const;

export type EventStatus = (typeof EVENT_STATUSES)[number];

/** The whole table of moves: what an event may become from each state. */
export const NEXT_EVENT_STATUS = {
  draft: ['active', 'archived'],
  active: ['paused', 'closed', 'archived'],
  paused: ['active', 'closed', 'archived'],
  // A closed event may be opened again: the doors were shut too early, the matching sponsor turned up.
  closed: ['active', 'archived'],
  archived: [],
} as const satisfies Record<EventStatus, readonly EventStatus[]>;

/** Whether an event may go from one state to the other; staying where it is always may. */
export const canMoveEvent = (from: EventStatus, to: EventStatus): boolean =>
  from === to || (NEXT_EVENT_STATUS[from] as readonly EventStatus[]).includes(to);

/** Whether donations are taken online. What was promised is paid once the evening is over too, but not while all of it is paused. */
export const takesPayments = (status: EventStatus, { ofPledge }: { readonly ofPledge: boolean }): boolean =>
  status === 'active' || (ofPledge && status === 'closed');

/** Whether donations are recorded by hand. Cash that is counted late counts too; a draft or an archived event takes nothing. */
export const takesRecords = (status: EventStatus): boolean => status !== 'draft' && status !== 'archived';

/** States in which anybody may read the event. */
const PUBLIC_STATUSES: readonly EventStatus[] = ['active', 'paused', 'closed'];

/** Whether the public may read an event in this state. */
export const isPublicStatus = (status: EventStatus): boolean => PUBLIC_STATUSES.includes(status);

/**
 * The event, if this caller may see it: a draft or an archived one only those whose scope it is in.
 * @throws NotFoundError `EVENT_NOT_FOUND`, the same as for an event that does not exist
 */
export function visibleTo(viewer: Principal | undefined, event: EventRecord): EventRecord {
  const insider = viewer !== undefined && reachesEvent(viewer, event.id);
  if (!insider && !isPublicStatus(event.status)) throw eventNotFound();
  return event;
}
