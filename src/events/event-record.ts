import { can, type Principal, reachesEvent } from '../common/access/principal.js';
import { GoneError, NotFoundError } from '../common/errors/domain-errors.js';
import { type EventStatus, isPublicStatus } from './event-status.js';

/** An event row. */
export interface EventRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly date: Date;
  /** Amount in minor units of `currency`. */
  readonly goalAmount: bigint;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly status: EventStatus;
  /** The event's overrides of the global settings, as stored. */
  readonly overrides: unknown;
  readonly createdAt: Date;
}

export const eventNotFound = () => new NotFoundError('EVENT_NOT_FOUND', 'The event does not exist');

/** A terminal can still have records of a rehearsal. */
export const rehearsalOver = () =>
  new GoneError('REHEARSAL_OVER', 'The rehearsal is over and its data is deleted');

/**
 * Returns the event if the viewer has access to it. A draft or archived event is visible only to users with access to this
 * event.
 * @throws NotFoundError `EVENT_NOT_FOUND`, as for an event that does not exist
 */
export function visibleTo(viewer: Principal | undefined, event: EventRecord): EventRecord {
  const insider = viewer !== undefined && can(viewer, 'events:list') && reachesEvent(viewer, event.id);
  if (!insider && !isPublicStatus(event.status)) throw eventNotFound();
  return event;
}
