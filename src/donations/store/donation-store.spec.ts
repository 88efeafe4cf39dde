import { describe, expect, it } from '@jest/globals';
import type { AdminPrincipal, StaffPrincipal } from '../../common/access/principal.js';
import { maySee } from './donation-store.js';

describe('access to a donation', () => {
  const donation = { staff_id: 'grace', event_id: 'gala' };
  const staff = (id: string, eventId: string): StaffPrincipal => ({ role: 'STAFF', id, name: id, eventId });

  it('shows a donation to the member who recorded it, at its event', () => {
    expect(maySee(staff('grace', 'gala'), donation)).toBe(true);
    expect(maySee(staff('ada', 'gala'), donation)).toBe(false);
    expect(maySee(staff('grace', 'another'), donation)).toBe(false);
    expect(maySee(staff('grace', 'gala'), { ...donation, staff_id: null })).toBe(false);
  });

  it('shows a donation to callers with access to all events', () => {
    for (const role of ['ADMIN', 'ACCOUNTANT'] as const) {
      const principal: AdminPrincipal = { role, id: 'ada', email: 'ada@example.org' };
      expect(maySee(principal, donation)).toBe(true);
    }
  });
});
