import { describe, expect, it } from '@jest/globals';
import { holdOf } from './paypal-holds.js';
import { captureSchema } from './paypal-objects.js';

const capture = (reason?: string, status = 'PENDING') =>
  captureSchema.parse({
    id: '3C679366HH908993F',
    status,
    amount: { currency_code: 'EUR', value: '10.00' },
    ...(reason !== undefined && { status_details: { reason } }),
  });

describe('a capture that is pending', () => {
  it.each(['ECHECK', 'PENDING_REVIEW', 'REFUNDED', 'TRANSACTION_APPROVED_AWAITING_FUNDING'])(
    'for %s only waits',
    (reason) => {
      expect(holdOf([capture(reason)])).toBeUndefined();
    },
  );

  it.each([
    ['INTERNATIONAL_WITHDRAWAL', 'accept'],
    ['RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION', 'accept'],
    ['VERIFICATION_REQUIRED', 'verify'],
    ['UNILATERAL', 'open_account'],
    ['BUYER_COMPLAINT', 'answer'],
    ['CHARGEBACK', 'answer'],
    ['OTHER', 'look'],
    ['A_REASON_OF_NEXT_YEAR', 'look'],
    ['constructor', 'look'],
  ] as const)('for %s needs the charity: %s', (reason, action) => {
    expect(holdOf([capture(reason)])).toEqual({ action, reason });
  });

  it('without a reason only waits', () => {
    expect(holdOf([capture()])).toBeUndefined();
  });

  it('needs the charity though another capture of the order only waits', () => {
    expect(holdOf([capture('ECHECK'), capture('OTHER')])).toEqual({ action: 'look', reason: 'OTHER' });
  });

  it.each(['COMPLETED', 'DECLINED', 'REFUNDED'])('is over once it is %s', (status) => {
    expect(holdOf([capture('OTHER', status)])).toBeUndefined();
  });
});
