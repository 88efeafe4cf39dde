import { ForbiddenError } from '../errors/domain-errors.js';
import type { Principal } from './principal.js';
import { type Role, roleFacts } from './roles.js';

/**
 * What can be done, and which roles may. Each route names one capability; which objects of it the caller
 * reaches is a question to `scopeOf`. A role that is in no list may do nothing.
 */
export const CAPABILITIES = {
  'events:list': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'events:create': ['ADMIN'],
  'events:update': ['ADMIN'],
  'events:delete': ['ADMIN'],
  'events:configure': ['ADMIN'],
  'settings:update': ['ADMIN'],
  'staff:list': ['ADMIN'],
  'staff:create': ['ADMIN'],
  'staff:update': ['ADMIN'],
  'staff:delete': ['ADMIN'],
  'staff:assign': ['ADMIN'],
  'staff:unlock': ['ADMIN'],
  'staff:list-at-event': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  // Whoever knows a PIN can record donations in that member's name.
  'staff:see-pins': ['ADMIN'],
  'donations:list': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'donations:record': ['ADMIN', 'STAFF'],
  'donations:correct': ['ADMIN', 'STAFF'],
  'donations:fulfil': ['ADMIN', 'STAFF'],
  'donations:cancel': ['ADMIN'],
  'donations:history': ['ADMIN', 'ACCOUNTANT'],
  'donations:export': ['ADMIN', 'ACCOUNTANT'],
  'messages:list': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'messages:moderate': ['ADMIN', 'STAFF'],
  // The first download of a receipt issues its number: that records a document, it changes no donation.
  'receipts:read': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'receipts:export': ['ADMIN', 'ACCOUNTANT'],
  'reviews:list': ['ADMIN', 'ACCOUNTANT'],
  'reviews:resolve': ['ADMIN'],
  'reviews:assign': ['ADMIN'],
} as const satisfies Record<string, readonly Role[]>;

export type Capability = keyof typeof CAPABILITIES;

/** Whether the caller has a capability. False for a role or a capability that is not in the table. */
export function can(caller: Pick<Principal, 'role'>, capability: Capability): boolean {
  const allowed: readonly string[] = Object.hasOwn(CAPABILITIES, capability) ? CAPABILITIES[capability] : [];
  return allowed.includes(caller.role);
}

/** Which objects a caller reaches. Everything outside does not exist for them: 404, not 403. */
export type Scope = AllEvents | OwnEvent;

interface AllEvents {
  readonly kind: 'all-events';
}

/** One event, and in it the donations that this member recorded. */
export interface OwnEvent {
  readonly kind: 'own-event';
  readonly eventId: string;
  readonly staffId: string;
  readonly staffName: string;
}

const ALL_EVENTS: AllEvents = { kind: 'all-events' };

/** @throws ForbiddenError for a role that is not in the table */
export function scopeOf(caller: Principal): Scope {
  const reach = roleFacts(caller.role)?.reach;
  if (reach === 'all-events') return ALL_EVENTS;
  if (reach === 'own-event' && 'eventId' in caller)
    return { kind: reach, eventId: caller.eventId, staffId: caller.id, staffName: caller.name };
  throw new ForbiddenError();
}

/** Whether an event is in the caller's scope. */
export function reachesEvent(caller: Principal, eventId: string): boolean {
  const scope = scopeOf(caller);
  return scope.kind === 'all-events' || scope.eventId === eventId;
}
