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

describe('holdOf() for PayPal', () => {
  it.each(['ECHECK', 'PENDING_REVIEW', 'REFUNDED', 'TRANSACTION_APPROVED_AWAITING_FUNDING'])(
    'needs no action for a pending capture with the reason %s',
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
  ] as const)('for a pending capture with the reason %s needs the action %s', (reason, action) => {
    expect(holdOf([capture(reason)])).toEqual({ action, reason });
  });

  it('needs no action for a pending capture without a reason', () => {
    expect(holdOf([capture()])).toBeUndefined();
  });

  it('needs an action if one of two captures needs it', () => {
    expect(holdOf([capture('ECHECK'), capture('OTHER')])).toEqual({ action: 'look', reason: 'OTHER' });
  });

  it.each(['COMPLETED', 'DECLINED', 'REFUNDED'])(
    'needs no action for a capture with the status %s',
    (status) => {
      expect(holdOf([capture('OTHER', status)])).toBeUndefined();
    },
  );
});
