import { describe, expect, it } from '@jest/globals';
import { canMoveEvent, EVENT_STATUSES, isPublicStatus } from './event-status.js';

describe('the states of an event', () => {
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

  it.each(pairs.filter(([from, to]) => from !== to))('%s → %s', (from, to) => {
    expect(canMoveEvent(from, to)).toBe(MOVES.includes(`${from} → ${to}`));
  });

  it.each(EVENT_STATUSES)('%s may stay what it is', (status) => {
    expect(canMoveEvent(status, status)).toBe(true);
  });

  it('are open to the public while active, paused and closed', () => {
    expect(EVENT_STATUSES.filter(isPublicStatus)).toEqual(['active', 'paused', 'closed']);
  });
});
