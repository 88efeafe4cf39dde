/** The states of an event. */
export const EVENT_STATUSES = ['draft', 'active', 'paused', 'closed', 'archived'] as const;

export type EventStatus = (typeof EVENT_STATUSES)[number];

/** All allowed status changes of an event. */
export const NEXT_EVENT_STATUS = {
  draft: ['active', 'archived'],
  active: ['paused', 'closed', 'archived'],
  paused: ['active', 'closed', 'archived'],
  // A closed event can be reopened, for example if it was closed too early or a matching sponsor joins.
  closed: ['active', 'archived'],
  archived: [],
} as const satisfies Record<EventStatus, readonly EventStatus[]>;

/** True if the status change is allowed. Keeping the same status is always allowed. */
export const canMoveEvent = (from: EventStatus, to: EventStatus): boolean =>
  from === to || (NEXT_EVENT_STATUS[from] as readonly EventStatus[]).includes(to);

/**
 * True if the event accepts online payments. While the event is closed, it still accepts payments of pledges. A paused event
 * accepts none.
 */
export const takesPayments = (status: EventStatus, { ofPledge }: { readonly ofPledge: boolean }): boolean =>
  status === 'active' || (ofPledge && status === 'closed');

/**
 * True if donations can be recorded manually. A closed event still accepts records, because cash is often counted late. Draft
 * and archived events accept no records.
 */
export const takesRecords = (status: EventStatus): boolean => status !== 'draft' && status !== 'archived';

/** Statuses in which anyone may read the event. */
const PUBLIC_STATUSES: readonly EventStatus[] = ['active', 'paused', 'closed'];

/** True if the public may read an event in this status. */
export const isPublicStatus = (status: EventStatus): boolean => PUBLIC_STATUSES.includes(status);
