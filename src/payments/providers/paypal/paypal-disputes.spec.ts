import { describe, expect, it } from '@jest/globals';
import { disputeOf } from './paypal-disputes.js';

const dispute = (fields: object = {}) =>
  disputeOf({
    dispute_id: 'PP-R-1',
    status: 'WAITING_FOR_SELLER_RESPONSE',
    dispute_amount: { currency_code: 'EUR', value: '25.00' },
    ...fields,
  });
const resolved = (outcome: string | undefined) =>
  dispute({
    status: 'RESOLVED',
    ...(outcome !== undefined && { dispute_outcome: { outcome_code: outcome } }),
  });

describe('disputeOf() for PayPal', () => {
  it.each([
    ['OPEN', true],
    ['WAITING_FOR_SELLER_RESPONSE', true],
    ['WAITING_FOR_BUYER_RESPONSE', false],
    ['UNDER_REVIEW', false],
  ])('reads the status %s as open (needs an answer: %s)', (status, needsAnswer) => {
    const fact = dispute({ status });
    expect(fact).toMatchObject({ status: 'open', providerStatus: status, needsAnswer });
    expect(fact).not.toHaveProperty('isUnknown');
  });

  it.each([
    ['RESOLVED_BUYER_FAVOUR', 'lost'],
    ['ACCEPTED', 'lost'],
    ['RESOLVED_SELLER_FAVOUR', 'won'],
    ['RESOLVED_WITH_PAYOUT', 'won'],
    ['CANCELED_BY_BUYER', 'won'],
    ['DENIED', 'won'],
    ['NONE', 'won'],
  ])('reads the outcome %s as %s', (outcome, status) => {
    const fact = resolved(outcome);
    expect(fact).toMatchObject({ status, providerStatus: outcome, needsAnswer: false });
    expect(fact).not.toHaveProperty('isUnknown');
  });

  it.each([
    ['with an unknown status', dispute({ status: 'SLEEPING' }), 'SLEEPING'],
    ['with the status OTHER', dispute({ status: 'OTHER' }), 'OTHER'],
    ['resolved with an unknown outcome', resolved('SHARED'), 'SHARED'],
    ['resolved without an outcome', resolved(undefined), 'RESOLVED'],
  ])('leaves a dispute %s open, so that staff check it', (_, fact, word) => {
    expect(fact).toMatchObject({ status: 'open', providerStatus: word, isUnknown: true, needsAnswer: true });
  });
});
