import { describe, expect, it } from '@jest/globals';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { NO_DETAILS, newDonation, NOT_AT_A_TERMINAL } from '../recording/new-donation.js';
import type { DonationRow } from '../store/donation-columns.js';
import { countedOf, messagesOf, topicsOf } from './donation-changes.js';
import { STATE_TABLE } from './donation-lifecycle.js';

const id = newId();
const given = {
  id,
  event_id: newId(),
  amount: 1000n,
  currency: 'eur',
  type: 'cash',
  donor_name: 'Ada',
  donor_email: null,
  is_anonymous: false,
  message: null,
  message_state: 'visible',
  name_state: 'visible',
  donor_key: Buffer.from('ada'),
  staff_id: null,
  staff_name: null,
  provider: null,
  payment_id: null,
  expected_amount: null,
  expected_currency: null,
  ...NO_DETAILS,
  created_at: timeOfId(id),
  ...NOT_AT_A_TERMINAL,
} as const;
const cash = newDonation(given, 'received', STATE_TABLE);
const pledge = newDonation({ ...given, type: 'pledge', round_id: newId() }, 'pledged', STATE_TABLE);
const becomes = (row: DonationRow, fields: Partial<DonationRow>): DonationRow => ({ ...row, ...fields });

describe('countedOf()', () => {
  it('counts a COMPLETED donation with its amount less the refunds', () => {
    const { event_id, currency, donor_key } = cash;
    expect(countedOf(becomes(cash, { refunded_amount: 300n }))).toEqual({
      event_id,
      currency,
      net: 700n,
      donor_key,
    });
  });

  it.each(['PENDING', 'FAILED', 'CANCELLED', 'REFUNDED'] as const)(
    'does not count a %s donation',
    (status) => {
      expect(countedOf(becomes(cash, { status }))).toBeUndefined();
    },
  );
});

describe('messagesOf()', () => {
  it('announces a donation as created when it becomes COMPLETED', () => {
    expect(topicsOf(undefined, cash)).toEqual(['donation.created']);
    expect(topicsOf(undefined, pledge)).toEqual([]);
    const kept = becomes(pledge, { status: 'COMPLETED', completed_at: new Date() });
    expect(topicsOf(pledge, kept)).toEqual(['donation.created']);
  });

  it('announces an update only when a field of the wall changes', () => {
    expect(topicsOf(cash, becomes(cash, { donor_name: 'Grace' }))).toEqual(['donation.updated']);
    expect(topicsOf(cash, becomes(cash, { message_state: 'hidden' }))).toEqual(['donation.updated']);
    expect(topicsOf(cash, becomes(cash, { amount: 1500n }))).toEqual(['donation.updated']);
    expect(topicsOf(cash, becomes(cash, { donor_email: 'ada@example.org' }))).toEqual([]);
  });

  it('announces the approval of a waiting card as shown, and other changes of its donation as updates', () => {
    const held = becomes(cash, { wall_state: 'held' });
    expect(topicsOf(undefined, held)).toEqual(['donation.created']);
    expect(topicsOf(held, becomes(held, { donor_name: 'Grace' }))).toEqual(['donation.updated']);
    const shown = becomes(held, { wall_state: 'visible' });
    expect(topicsOf(held, shown)).toEqual(['donation.shown']);
    expect(topicsOf(shown, becomes(shown, { status: 'REFUNDED' }))).toEqual(['donation.retracted']);
  });

  it('announces a cancelled or refunded donation as retracted', () => {
    for (const status of ['CANCELLED', 'REFUNDED'] as const) {
      const gone = becomes(cash, { status });
      expect(topicsOf(cash, gone)).toEqual(['donation.retracted']);
      expect(topicsOf(gone, cash)).toEqual(['donation.updated']);
      expect(topicsOf(gone, becomes(gone, { donor_name: 'Grace' }))).toEqual([]);
    }
  });

  it('announces the pledge round when a pledge changes its state', () => {
    const { round_id: roundId } = pledge;
    const message = { topic: 'pledge.round', roundId };
    expect(messagesOf(undefined, pledge)).toEqual([message]);
    expect(messagesOf(pledge, becomes(pledge, { status: 'CANCELLED' }))).toEqual([message]);
    expect(messagesOf(pledge, becomes(pledge, { donor_name: 'Grace' }))).toEqual([]);
    expect(messagesOf(undefined, cash)).toEqual([{ topic: 'donation.created', roundId: null }]);
  });
});
