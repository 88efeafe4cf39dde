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

describe('a pending PayPal capture', () => {
  it.each(['ECHECK', 'PENDING_REVIEW', 'REFUNDED', 'TRANSACTION_APPROVED_AWAITING_FUNDING'])(
    'with the reason %s needs no action',
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
  ] as const)('with the reason %s needs the action %s', (reason, action) => {
    expect(holdOf([capture(reason)])).toEqual({ action, reason });
  });

  it('without a reason needs no action', () => {
    expect(holdOf([capture()])).toBeUndefined();
  });

  it('needs an action even if another capture of the order needs none', () => {
    expect(holdOf([capture('ECHECK'), capture('OTHER')])).toEqual({ action: 'look', reason: 'OTHER' });
  });

  it.each(['COMPLETED', 'DECLINED', 'REFUNDED'])('needs no action after it is %s', (status) => {
    expect(holdOf([capture('OTHER', status)])).toBeUndefined();
  });
});
