import { describe, expect, it } from '@jest/globals';
import type { AdminPrincipal, StaffPrincipal } from '../common/access/principal.js';
import type { EventRecord } from './event-lookup.service.js';
import {
  canMoveEvent,
  EVENT_STATUSES,
  isPublicStatus,
  takesPayments,
  takesRecords,
  visibleTo,
} from './event-status.js';

describe('an event status', () => {
  const MOVES = [
    'draft → active',
    'draft → archived',
    'active → paused',
    'active → closed',
    'active → archived',
    'paused → active',
    'paused → closed',
    'paused → archived',
    'closed → active',
    'closed → archived',
  ];

  const pairs = EVENT_STATUSES.flatMap((from) => EVENT_STATUSES.map((to) => [from, to] as const));

  it.each(pairs.filter(([from, to]) => from !== to))(
    'allows or refuses the change %s → %s as agreed',
    (from, to) => {
      expect(canMoveEvent(from, to)).toBe(MOVES.includes(`${from} → ${to}`));
    },
  );

  it.each(EVENT_STATUSES)('allows %s to stay unchanged', (status) => {
    expect(canMoveEvent(status, status)).toBe(true);
  });

  it('is public while active, paused or closed', () => {
    expect(EVENT_STATUSES.filter(isPublicStatus)).toEqual(['active', 'paused', 'closed']);
  });

  it('allows online donations while active, and pledge payments also while closed', () => {
    const taking = (ofPledge: boolean) =>
      EVENT_STATUSES.filter((status) => takesPayments(status, { ofPledge }));
    expect(taking(false)).toEqual(['active']);
    expect(taking(true)).toEqual(['active', 'closed']);
  });

  it('allows manual records unless draft or archived', () => {
    expect(EVENT_STATUSES.filter(takesRecords)).toEqual(['active', 'paused', 'closed']);
  });

  it('hides draft and archived events from the public and from staff of other events', () => {
    const admin: AdminPrincipal = { role: 'ADMIN', id: 'ada', email: 'ada@example.org' };
    const staff = (eventId: string): StaffPrincipal => ({
      role: 'STAFF',
      id: 'grace',
      name: 'Grace',
      eventId,
    });
    const seen = (viewer: AdminPrincipal | StaffPrincipal | undefined) =>
      EVENT_STATUSES.filter((status) => {
        const event = { id: 'gala', status } as EventRecord;
        try {
          return visibleTo(viewer, event) === event;
        } catch {
          return false;
        }
      });
    const open = ['active', 'paused', 'closed'];
    expect(seen(undefined)).toEqual(open);
    expect(seen(staff('another'))).toEqual(open);
    expect(seen(staff('gala'))).toEqual(EVENT_STATUSES);
    expect(seen(admin)).toEqual(EVENT_STATUSES);
  });
});
