import { describe, expect, it } from '@jest/globals';
import { type FeedRow, type PublicDonationRow, toFeedMessage } from './live-feed.service.js';

const donation: PublicDonationRow = {
  donation_id: 'donation',
  amount: 2_500n,
  currency: 'eur',
  status: 'COMPLETED',
  donor_name: 'Ada',
  message: 'Hello',
  tribute: null,
  wall_state: null,
  created_at: new Date('2026-11-21T19:30:00Z'),
};
const row = (topic: string): FeedRow => ({
  event_id: 'event',
  topic,
  donation_id: 'donation',
  round_id: null,
  subject_id: null,
  sequence: 7n,
});
const shown = {
  id: 'donation',
  eventId: 'event',
  amount: 2_500,
  currency: 'eur',
  donorName: 'Ada',
  message: 'Hello',
  createdAt: '2026-11-21T19:30:00.000Z',
  sequence: 7,
};

describe('toFeedMessage()', () => {
  it('sends a retraction for every message of a card that waits, and `created` for its approval', () => {
    const topicOf = (topic: string, wall_state: 'held' | 'visible' | null) =>
      toFeedMessage(row(topic), { ...donation, wall_state })[0];
    for (const topic of ['donation.created', 'donation.updated', 'donation.shown'])
      expect(topicOf(topic, 'held')).toBe('donation.retracted');
    expect(topicOf('donation.shown', 'visible')).toBe('donation.created');
    expect(topicOf('donation.created', 'visible')).toBe('donation.retracted');
    expect(topicOf('donation.updated', 'visible')).toBe('donation.updated');
    expect(topicOf('donation.created', null)).toBe('donation.created');
  });

  it('sends the current values of the donation', () => {
    expect(toFeedMessage(row('donation.created'), donation)).toEqual(['donation.created', shown]);
    expect(toFeedMessage(row('donation.updated'), { ...donation, donor_name: null, message: null })).toEqual([
      'donation.updated',
      { ...shown, donorName: 'Anonymous', message: undefined },
    ]);
  });

  it('sends a created donation even if it was retracted since', () => {
    expect(toFeedMessage(row('donation.created'), { ...donation, status: 'REFUNDED' })[0]).toBe(
      'donation.created',
    );
  });

  it.each([
    ['CANCELLED', 'cancelled'],
    ['REFUNDED', 'refunded'],
    ['PENDING', undefined],
    ['FAILED', undefined],
  ])('sends a retraction for the update of a donation that is %s', (status, reason) => {
    const [topic, body] = toFeedMessage(row('donation.updated'), { ...donation, status });
    expect([topic, body]).toEqual([
      'donation.retracted',
      { id: 'donation', eventId: 'event', sequence: 7, ...(reason ? { reason } : {}) },
    ]);
  });

  it('sends a retraction if the donation no longer exists', () => {
    for (const topic of ['donation.created', 'donation.updated', 'donation.retracted'])
      expect(toFeedMessage(row(topic), undefined)).toEqual([
        'donation.retracted',
        { id: 'donation', eventId: 'event', sequence: 7 },
      ]);
  });

  it('sends the state of a subject of another module, and only its position if walls may not show it', () => {
    const about = { ...row('match.changed'), donation_id: null, subject_id: 'pool' };
    expect(toFeedMessage(about, undefined, undefined, { left: 40 })).toEqual([
      'match.changed',
      { left: 40, eventId: 'event', sequence: 7 },
    ]);
    expect(toFeedMessage(about, undefined)).toEqual(['match.changed', { eventId: 'event', sequence: 7 }]);
  });
});
