import { isRehearsal } from '../crypto/rehearsal-ids.js';
import { ForbiddenError } from '../errors/domain-errors.js';
import { API_SCOPE_NAMES, type ApiScope } from './api-scope-names.js';

/**
 * Owner of sessions: `admin:<id>` or `staff:<id>`. The prefix is the table of the account. An API key is its own owner.
 */
export type SessionSubject = `admin:${string}` | `staff:${string}` | `api_key:${string}`;

export const subjectOf = ({ role, id }: { role: Role; id: string }): SessionSubject =>
  `${accountOf(role)}:${id}`;

/** The user of a verified token. */
export type Principal = AdminPrincipal | StaffPrincipal | ApiPrincipal;

/** A user who signed in by password or identity provider. */
export interface AdminPrincipal {
  readonly role: AdminRole;
  readonly id: string;
  readonly email: string;
  /**
   * True if the organization requires a second factor but this session has none. The session may then only set up a second
   * factor.
   */
  readonly lacksSecondFactor?: true;
}

/** A user who signed in by PIN. */
export interface StaffPrincipal {
  readonly role: StaffRole;
  readonly id: string;
  readonly name: string;
  /** The event of the sign-in. */
  readonly eventId: string;
  /** The enrolled terminal of the sign-in, if any. */
  readonly terminalId?: string | undefined;
}

/** A program that sends an API key. */
export interface ApiPrincipal {
  readonly role: ApiRole;
  /** Id of the key. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  /** Capabilities of the scopes that the creator of the key has now. */
  readonly capabilities: ReadonlySet<Capability>;
  /** Events of the key; null for all events. */
  readonly eventIds: ReadonlySet<string> | null;
  readonly expiresAt: Date;
}

/** Author of a change, for history and audit. */
export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number];
  readonly id: string | null;
}

export const ACTOR_KINDS = ['admin', 'staff', 'donor', 'provider', 'system', 'accountant', 'api'] as const;

export const SYSTEM: Actor = { kind: 'system', id: null };

/** @throws ForbiddenError for a role that is not in the table */
export function actorOf(caller: Pick<Principal, 'role' | 'id'>): Actor {
  const facts = roleFacts(caller.role);
  if (!facts) throw new ForbiddenError();
  return { kind: facts.actor, id: caller.id };
}

/** Table of the account. */
export type Account = 'admin' | 'staff' | 'api_key';

interface RoleFacts {
  readonly account: Account;
  /** Name of the role in history and audit. */
  readonly actor: 'admin' | 'accountant' | 'staff' | 'api';
  /** Events that the role can access: all events, only the event of the sign-in, or the events of the key. */
  readonly reach: 'all-events' | 'own-event' | 'events-of-key';
}

/** All roles with their properties, except capabilities. A role that is missing here has no access. */
const ROLES = {
  ADMIN: { account: 'admin', actor: 'admin', reach: 'all-events' },
  ACCOUNTANT: { account: 'admin', actor: 'accountant', reach: 'all-events' },
  STAFF: { account: 'staff', actor: 'staff', reach: 'own-event' },
  API: { account: 'api_key', actor: 'api', reach: 'events-of-key' },
} as const satisfies Record<string, RoleFacts>;

type Roles = typeof ROLES;
export type Role = keyof Roles;
/** Roles that sign in by password or identity provider. */
export type AdminRole = { [R in Role]: Roles[R]['account'] extends 'admin' ? R : never }[Role];
/** Roles that sign in by PIN. */
export type StaffRole = { [R in Role]: Roles[R]['account'] extends 'staff' ? R : never }[Role];
/** Role of programs that send an API key. */
export type ApiRole = Exclude<Role, AdminRole | StaffRole>;

export const API_ROLE: ApiRole = 'API';

export const isApiKey = (caller: Principal): caller is ApiPrincipal => accountOf(caller.role) === 'api_key';

/** Returns the properties of a role, or undefined for a role that this version does not know. */
export const roleFacts = (role: unknown): RoleFacts | undefined =>
  typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role as Role] : undefined;

export const accountOf = (role: Role): Account => ROLES[role].account;

export const isAdminRole = (role: unknown): role is AdminRole => roleFacts(role)?.account === 'admin';
export const isStaffRole = (role: unknown): role is StaffRole => roleFacts(role)?.account === 'staff';

export const ADMIN_ROLES: readonly AdminRole[] = Object.keys(ROLES).filter(isAdminRole);

/**
 * All capabilities, each with the roles that have it. Each route requires one capability. `scopeOf` decides which objects the
 * caller can access. A role that is missing in all lists has no access.
 */
export const CAPABILITIES = {
  'account:read': ['ADMIN', 'ACCOUNTANT', 'STAFF', 'API'],
  'account:secure': ['ADMIN', 'ACCOUNTANT'],
  'account:manage': ['ADMIN', 'ACCOUNTANT'],
  'users:list': ['ADMIN'],
  'users:invite': ['ADMIN'],
  'users:update': ['ADMIN'],
  'users:delete': ['ADMIN'],
  'users:sessions': ['ADMIN'],
  'events:list': ['ADMIN', 'ACCOUNTANT', 'STAFF', 'API'],
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
  'terminals:list': ['ADMIN', 'ACCOUNTANT'],
  'terminals:enrol': ['ADMIN'],
  'terminals:update': ['ADMIN'],
  'terminals:revoke': ['ADMIN'],
  'terminals:release': ['ADMIN'],
  'staff:list-at-event': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  // Only admins, because anyone who knows a member's PIN can record donations in that member's name.
  'staff:see-pins': ['ADMIN'],
  'donations:list': ['ADMIN', 'ACCOUNTANT', 'STAFF', 'API'],
  // Without this capability, answers and files have no names, addresses and messages of donors.
  'donations:see-donors': ['ADMIN', 'ACCOUNTANT', 'STAFF', 'API'],
  'donations:record': ['ADMIN', 'STAFF', 'API'],
  'donations:correct': ['ADMIN', 'STAFF'],
  'donations:fulfil': ['ADMIN', 'STAFF'],
  'donations:undo': ['ADMIN', 'STAFF'],
  'donations:cancel': ['ADMIN'],
  'donations:history': ['ADMIN', 'ACCOUNTANT'],
  'donations:export': ['ADMIN', 'ACCOUNTANT', 'API'],
  'donations:story': ['ADMIN', 'ACCOUNTANT'],
  'totals:explain': ['ADMIN', 'ACCOUNTANT'],
  'evening:read': ['ADMIN', 'ACCOUNTANT'],
  'reports:read': ['ADMIN', 'ACCOUNTANT'],
  'statistics:read': ['ADMIN', 'ACCOUNTANT', 'API'],
  'changes:read': ['ADMIN', 'ACCOUNTANT', 'API'],
  'messages:list': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'messages:moderate': ['ADMIN', 'STAFF'],
  // Includes the first download of a receipt, which issues a receipt number. This creates a document but does not change the
  // donation.
  'receipts:read': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'receipts:export': ['ADMIN', 'ACCOUNTANT'],
  // The content names erased donors.
  'sealed-receipts:list': ['ADMIN', 'ACCOUNTANT'],
  'sealed-receipts:read': ['ADMIN', 'ACCOUNTANT'],
  'sealed-receipts:export': ['ADMIN', 'ACCOUNTANT'],
  'guests:list': ['ADMIN', 'STAFF', 'API'],
  'guests:edit': ['ADMIN', 'API'],
  // Imports, files and prints of the whole list.
  'guests:manage': ['ADMIN'],
  'guests:check-in': ['ADMIN', 'STAFF', 'API'],
  'guests:card': ['ADMIN', 'STAFF'],
  'teams:list': ['ADMIN', 'ACCOUNTANT', 'STAFF', 'API'],
  'teams:manage': ['ADMIN'],
  'pledges:list': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'pledges:read': ['ADMIN', 'ACCOUNTANT'],
  'pledges:round': ['ADMIN', 'STAFF'],
  'pledges:link': ['ADMIN', 'STAFF'],
  'pledges:letters': ['ADMIN'],
  'pledges:charge': ['ADMIN'],
  'milestones:list': ['ADMIN', 'ACCOUNTANT', 'STAFF', 'API'],
  // The team at the event announces a milestone with `messages:moderate`.
  'milestones:manage': ['ADMIN'],
  'floor:list': ['ADMIN', 'ACCOUNTANT'],
  'floor:manage': ['ADMIN'],
  // Messages to a till are for its member, and only a till asks the dashboard.
  'floor:ask': ['STAFF'],
  'rehearsals:read': ['ADMIN', 'ACCOUNTANT'],
  'rehearsals:manage': ['ADMIN'],
  'transfers:receive': ['ADMIN'],
  'match:list': ['ADMIN', 'ACCOUNTANT'],
  'match:manage': ['ADMIN'],
  // Only admins, because the address of an endpoint can contain a secret.
  'webhooks:list': ['ADMIN', 'API'],
  'webhooks:manage': ['ADMIN', 'API'],
  'shifts:list': ['ADMIN', 'ACCOUNTANT', 'STAFF'],
  'shifts:open': ['STAFF'],
  'shifts:count': ['ADMIN', 'STAFF'],
  'emails:list': ['ADMIN'],
  'emails:send': ['ADMIN'],
  'donors:list': ['ADMIN', 'ACCOUNTANT'],
  'donors:export': ['ADMIN', 'ACCOUNTANT'],
  'donors:confirm': ['ADMIN'],
  'donors:erase': ['ADMIN'],
  'gift-aid:read': ['ADMIN', 'ACCOUNTANT'],
  'gift-aid:declare': ['ADMIN'],
  'gift-aid:cancel': ['ADMIN'],
  'gift-aid:claim': ['ADMIN'],
  // Shows also the declarations of erased donors.
  'gift-aid:export': ['ADMIN', 'ACCOUNTANT'],
  'images:upload': ['ADMIN'],
  'providers:check': ['ADMIN'],
  'installation:check': ['ADMIN'],
  'api-keys:list': ['ADMIN'],
  'api-keys:create': ['ADMIN'],
  'api-keys:revoke': ['ADMIN'],
  'audit:read': ['ADMIN', 'ACCOUNTANT'],
  'reviews:list': ['ADMIN', 'ACCOUNTANT'],
  'reviews:resolve': ['ADMIN'],
  'reviews:assign': ['ADMIN'],
} as const satisfies Record<string, readonly Role[]>;

export type Capability = keyof typeof CAPABILITIES;

/**
 * Scopes of API keys: the capabilities that a key can have. A key never has a capability that its creator does not have.
 * Sign-in, users, settings, refunds and erasure are in no scope.
 */
export const API_SCOPES = {
  read: ['events:list', 'donations:list', 'statistics:read', 'changes:read', 'milestones:list'],
  // A team can be a person, so its name is personal.
  'read:personal': [
    'events:list',
    'donations:list',
    'donations:see-donors',
    'changes:read',
    'milestones:list',
    'teams:list',
  ],
  export: ['donations:export'],
  record: ['donations:record'],
  webhooks: ['webhooks:list', 'webhooks:manage'],
  guests: ['guests:list', 'guests:edit', 'guests:check-in'],
} as const satisfies Record<ApiScope, readonly Capability[]>;

/** Scopes that a key for some events cannot have, because their objects belong to all events. */
export const SCOPES_OF_ALL_EVENTS: readonly ApiScope[] = ['webhooks'];

/**
 * Returns the capabilities of a key with these scopes. Ignores scopes that this version does not know.
 * @param hasAllEvents false for a key that names its events
 */
export function capabilitiesOfKey(
  scopes: readonly string[],
  creator: Pick<Principal, 'role'>,
  hasAllEvents = true,
): ReadonlySet<Capability> {
  const known = API_SCOPE_NAMES.filter(
    (scope) => scopes.includes(scope) && (hasAllEvents || !SCOPES_OF_ALL_EVENTS.includes(scope)),
  );
  const wanted: Capability[] = ['account:read', ...known.flatMap((scope) => [...API_SCOPES[scope]])];
  return new Set(wanted.filter((capability) => can(creator, capability)));
}

/** Capabilities of a session that lacks the required second factor. */
export const SETTING_UP: ReadonlySet<string> = new Set<Capability>(['account:read', 'account:secure']);

/** A role, and for an API key also its own capabilities. */
type Holder = Pick<Principal, 'role'> & Partial<Pick<ApiPrincipal, 'capabilities'>>;

/** Returns all capabilities of a caller. */
export const capabilitiesOf = (caller: Holder): Capability[] =>
  (Object.keys(CAPABILITIES) as Capability[]).filter((capability) => can(caller, capability));

/** True if the caller has a capability. False for an unknown role or capability. */
export function can({ role, capabilities }: Holder, capability: Capability): boolean {
  const allowed: readonly string[] = Object.hasOwn(CAPABILITIES, capability) ? CAPABILITIES[capability] : [];
  if (!allowed.includes(role)) return false;
  return accountOf(role) !== 'api_key' || capabilities?.has(capability) === true;
}

/** Objects that a caller may access. The caller gets 404, not 403, for all other objects. */
export type Scope = AllEvents | OwnEvent | EventsOfKey;

interface AllEvents {
  readonly kind: 'all-events';
}

/** One event, and the donations that this member recorded at the event. */
export interface OwnEvent {
  readonly kind: 'own-event';
  readonly eventId: string;
  readonly staffId: string;
  readonly staffName: string;
  /** The enrolled terminal of the sign-in. */
  readonly terminalId: string | null;
}

/** The events that an API key names, with all their donations. */
interface EventsOfKey {
  readonly kind: 'events-of-key';
  readonly eventIds: ReadonlySet<string>;
}

const ALL_EVENTS: AllEvents = { kind: 'all-events' };

/** @throws ForbiddenError for a role that is not in the table */
export function scopeOf(caller: Principal): Scope {
  const reach = roleFacts(caller.role)?.reach;
  if (reach === 'all-events') return ALL_EVENTS;
  if (reach === 'own-event' && 'eventId' in caller)
    return {
      kind: reach,
      eventId: caller.eventId,
      staffId: caller.id,
      staffName: caller.name,
      terminalId: caller.terminalId ?? null,
    };
  if (reach === 'events-of-key' && 'eventIds' in caller)
    return caller.eventIds === null ? ALL_EVENTS : { kind: reach, eventIds: caller.eventIds };
  throw new ForbiddenError();
}

/** True if an event is in the caller's scope. */
export function reachesEvent(caller: Principal, eventId: string): boolean {
  const scope = scopeOf(caller);
  if (scope.kind === 'events-of-key') return scope.eventIds.has(eventId);
  // A key for all events is for all real events. A key can name a rehearsal.
  if (isApiKey(caller) && isRehearsal(eventId)) return false;
  return scope.kind === 'all-events' || scope.eventId === eventId;
}
