import { describe, expect, it } from '@jest/globals';
import type { DonationStatus } from '../donations/lifecycle/donation-lifecycle.js';
import { donationTopics, pledgeTopics } from './donation-topics.js';

const state = (status: DonationStatus, refunded = 0n, minute = 0) => ({
  status,
  refunded,
  changedAt: new Date(Date.UTC(2026, 10, 28, 20, minute)),
});
const GIVEN = state('COMPLETED');

describe('the topics of a change of a donation', () => {
  it('names a completed donation once', () => {
    expect(donationTopics(undefined, GIVEN, true)).toEqual(['donation.completed']);
    expect(donationTopics(GIVEN, GIVEN, true)).toEqual([]);
  });

  it('names each change of the refunded amount', () => {
    expect(donationTopics(GIVEN, state('COMPLETED', 5n, 1), false)).toEqual(['donation.refunded']);
    expect(donationTopics(state('COMPLETED', 5n), state('COMPLETED', 2n, 1), false)).toEqual([
      'donation.refunded',
    ]);
    expect(donationTopics(GIVEN, state('REFUNDED', 9n, 1), false)).toEqual(['donation.refunded']);
  });

  it('names a donation that counts again', () => {
    expect(donationTopics(state('REFUNDED', 9n), state('COMPLETED', 0n, 1), false)).toEqual([
      'donation.restored',
    ]);
  });

  it('names a donation that was undone, also if it was refunded before', () => {
    expect(donationTopics(GIVEN, state('CANCELLED', 0n, 1), false)).toEqual(['donation.cancelled']);
    expect(donationTopics(state('CANCELLED'), state('CANCELLED', 3n, 1), false)).toEqual([
      'donation.refunded',
    ]);
  });

  it('names a correction, but not a message of the feed without a change of the donation', () => {
    expect(donationTopics(GIVEN, state('COMPLETED', 0n, 1), false)).toEqual(['donation.updated']);
    expect(donationTopics(GIVEN, GIVEN, false)).toEqual([]);
  });

  it('names the completion too if a donation was refunded before its first message', () => {
    expect(donationTopics(undefined, state('REFUNDED', 9n, 3), true)).toEqual([
      'donation.completed',
      'donation.refunded',
    ]);
    expect(donationTopics(undefined, state('CANCELLED', 0n, 3), true)).toEqual([
      'donation.completed',
      'donation.cancelled',
    ]);
  });

  it('treats a donation from before the first endpoint as completed', () => {
    expect(donationTopics(undefined, state('COMPLETED', 0n, 1), false)).toEqual(['donation.updated']);
    expect(donationTopics(undefined, state('COMPLETED', 4n, 1), false)).toEqual(['donation.refunded']);
    expect(donationTopics(undefined, state('CANCELLED', 0n, 1), false)).toEqual(['donation.cancelled']);
  });
});

describe('the topics of a change of a pledge', () => {
  it('names a new pledge once, and then its end', () => {
    expect(pledgeTopics(false, 'open')).toEqual(['pledge.made']);
    expect(pledgeTopics(false, 'withdrawn')).toEqual(['pledge.made', 'pledge.withdrawn']);
    expect(pledgeTopics(true, 'kept')).toEqual(['pledge.kept']);
    expect(pledgeTopics(true, 'open')).toEqual([]);
  });

  it('names a pledge that staff marked as paid as a completed donation', () => {
    expect(donationTopics(state('PENDING'), state('COMPLETED', 0n, 1), true)).toEqual(['donation.completed']);
    expect(donationTopics(state('PENDING'), state('CANCELLED', 0n, 1), true)).toEqual([
      'donation.completed',
      'donation.cancelled',
    ]);
  });
});
