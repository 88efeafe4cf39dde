import { describe, expect, it } from '@jest/globals';
import { canMoveEvent, EVENT_STATUSES, isPublicStatus, takesPayments, takesRecords } from './event-status.js';

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

  it.each(EVENT_STATUSES)('allows the status %s to stay unchanged', (status) => {
    expect(canMoveEvent(status, status)).toBe(true);
  });

  it('shows an event to the public while it is active, paused or closed', () => {
    expect(EVENT_STATUSES.filter(isPublicStatus)).toEqual(['active', 'paused', 'closed']);
  });

  it('allows online donations while an event is active, and pledge payments also while it is closed', () => {
    const taking = (ofPledge: boolean) =>
      EVENT_STATUSES.filter((status) => takesPayments(status, { ofPledge }));
    expect(taking(false)).toEqual(['active']);
    expect(taking(true)).toEqual(['active', 'closed']);
  });

  it('allows manual records unless the event is a draft or archived', () => {
    expect(EVENT_STATUSES.filter(takesRecords)).toEqual(['active', 'paused', 'closed']);
  });
});
