import { describe, expect, it } from '@jest/globals';
import type { AdminPrincipal, StaffPrincipal } from '../common/access/principal.js';
import { type EventRecord, visibleTo } from './event-record.js';
import { EVENT_STATUSES } from './event-status.js';

describe('visibility of an event', () => {
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
        } catch (error) {
          expect(error).toMatchObject({ code: 'EVENT_NOT_FOUND' });
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
