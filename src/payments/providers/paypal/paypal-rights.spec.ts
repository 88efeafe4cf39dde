import { describe, expect, it } from '@jest/globals';
import { mayBeForeign, rightOf } from './paypal-rights.js';

describe('the right for a PayPal call', () => {
  it.each([
    ['/v2/checkout/orders', 'Accept payments'],
    ['/v2/payments/captures/1/refund', 'Accept payments'],
    ['/v1/reporting/transactions?page=1', 'Transaction search'],
    ['/v1/customer/disputes/PP-1', 'Customer disputes'],
    ['/v1/notifications/webhooks-events?page_size=1', 'Webhooks'],
  ])('for %s is %s', (path, right) => {
    expect(rightOf(path)).toBe(right);
  });

  it.each([
    ['GET', '/v2/checkout/orders/1', true],
    ['GET', '/v2/payments/captures/1', true],
    ['GET', '/v2/payments/refunds/1', true],
    ['POST', '/v2/checkout/orders', false],
    ['POST', '/v2/checkout/orders/1/capture', false],
    ['POST', '/v2/payments/captures/1/refund', false],
    ['GET', '/v1/customer/disputes/PP-1', false],
    ['GET', '/v1/reporting/transactions?page=1', false],
  ] as const)(
    'for %s %s may be missing because the object belongs to another account: %s',
    (method, path, possible) => {
      expect(mayBeForeign(method, path)).toBe(possible);
    },
  );
});
