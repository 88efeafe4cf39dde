import { describe, expect, it } from '@jest/globals';
import { API_SCOPE_NAMES } from './api-scope-names.js';
import {
  actorOf,
  API_ROLE,
  type ApiPrincipal,
  can,
  CAPABILITIES,
  capabilitiesOfKey,
  type Capability,
  isAdminRole,
  isStaffRole,
  reachesEvent,
  roleFacts,
  scopeOf,
  type Principal,
  type StaffPrincipal,
} from './principal.js';

const ADMIN: Principal = { role: 'ADMIN', id: 'a', email: 'a@example.org' };
const ACCOUNTANT: Principal = { role: 'ACCOUNTANT', id: 'b', email: 'b@example.org' };
const STAFF: StaffPrincipal = { role: 'STAFF', id: 's', name: 'Maria', eventId: 'e', terminalId: 't' };
const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as Capability[];

/** Returns a caller with a role that this version does not know. */
const withRole = (role: string): Principal => ({ ...STAFF, role }) as unknown as Principal;

describe('capabilities', () => {
  it('all belong to an admin, except opening a shift and asking from a till', () => {
    expect(CAPABILITY_NAMES.filter((name) => !can(ADMIN, name))).toEqual(['floor:ask', 'shifts:open']);
  });

  it('an accountant may list, read, export, and manage the own account', () => {
    const held = CAPABILITY_NAMES.filter((name) => can(ACCOUNTANT, name));
    const deeds = held.filter((name) => !name.startsWith('account:')).map((name) => name.split(':')[1]);
    expect([...new Set(deeds)].sort()).toEqual(
      ['explain', 'export', 'history', 'list', 'list-at-event', 'read', 'see-donors', 'story'].sort(),
    );
  });

  it('an API key has only the capabilities of its scopes that its creator has', () => {
    const key = (scopes: readonly string[], creator: Principal) => ({
      role: API_ROLE,
      capabilities: capabilitiesOfKey(scopes, creator),
    });
    const held = (scopes: readonly string[], creator: Principal) =>
      CAPABILITY_NAMES.filter((name) => can(key(scopes, creator), name)).sort();
    expect(held(['record'], ADMIN)).toEqual(['account:read', 'donations:record']);
    expect(held(['record', 'guests'], ACCOUNTANT)).toEqual(['account:read']);
    expect(held(['read', 'unknown'], ADMIN)).toEqual(held(['read'], ACCOUNTANT));
    expect(CAPABILITY_NAMES.filter((name) => can({ role: API_ROLE }, name))).toEqual([]);
  });

  it('no scope of keys covers sign-in, users, settings, refunds or erasure', () => {
    const all = capabilitiesOfKey(API_SCOPE_NAMES, ADMIN);
    expect(
      [...all].filter((name) =>
        /^(users|settings|staff|terminals|donors|api-keys|providers|audit|emails)/.test(name),
      ),
    ).toEqual([]);
    for (const name of ['donations:cancel', 'account:manage', 'account:secure', 'events:update'] as const)
      expect(all.has(name)).toBe(false);
  });

  it('no role has an unknown capability', () => {
    for (const name of ['donations:everything', 'constructor', 'toString', '__proto__'])
      expect(can(ADMIN, name as Capability)).toBe(false);
  });
});

describe.each(['AUDITOR', 'admin', 'constructor', '__proto__', ''])('the unknown role "%s"', (role) => {
  it('has no capability', () => {
    expect(CAPABILITY_NAMES.filter((name) => can(withRole(role), name))).toEqual([]);
  });

  it('gives access to no event and cannot be an actor', () => {
    expect(() => scopeOf(withRole(role))).toThrow('Insufficient permissions');
    expect(() => reachesEvent(withRole(role), STAFF.eventId)).toThrow('Insufficient permissions');
    expect(() => actorOf(withRole(role))).toThrow('Insufficient permissions');
    expect([roleFacts(role), isAdminRole(role), isStaffRole(role)]).toEqual([undefined, false, false]);
  });
});

describe('the scope', () => {
  it('of admins and accountants is every event', () => {
    for (const caller of [ADMIN, ACCOUNTANT]) {
      expect(scopeOf(caller)).toEqual({ kind: 'all-events' });
      expect(reachesEvent(caller, 'any')).toBe(true);
    }
  });

  it('of staff is the event of the sign-in', () => {
    expect(scopeOf(STAFF)).toEqual({
      kind: 'own-event',
      eventId: 'e',
      staffId: 's',
      staffName: 'Maria',
      terminalId: 't',
    });
    expect([reachesEvent(STAFF, 'e'), reachesEvent(STAFF, 'other')]).toEqual([true, false]);
  });

  it('the scope of a key is the events that it names, or every event', () => {
    const key = (eventIds: ReadonlySet<string> | null): ApiPrincipal => ({
      role: API_ROLE,
      id: 'k',
      name: 'Bookkeeping',
      scopes: ['read'],
      capabilities: new Set(),
      eventIds,
      expiresAt: new Date(),
    });
    expect(reachesEvent(key(null), 'any')).toBe(true);
    const own = key(new Set(['e']));
    expect([reachesEvent(own, 'e'), reachesEvent(own, 'other')]).toEqual([true, false]);
    expect(scopeOf(own).kind).toBe('events-of-key');
    expect(actorOf(own)).toEqual({ kind: 'api', id: 'k' });
  });

  it('scopeOf() refuses a staff member without an event, even with a valid role', () => {
    expect(() => scopeOf({ role: 'STAFF', id: 's', name: 'Maria' } as unknown as Principal)).toThrow();
  });
});
