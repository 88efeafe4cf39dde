import { describe, expect, it } from '@jest/globals';
import { mayBeForeign, rightOf } from './paypal-rights.js';

describe('the rights of PayPal calls', () => {
  it.each([
    ['/v2/checkout/orders', 'Accept payments'],
    ['/v2/payments/captures/1/refund', 'Accept payments'],
    ['/v1/reporting/transactions?page=1', 'Transaction search'],
    ['/v1/customer/disputes/PP-1', 'Customer disputes'],
    ['/v1/notifications/webhooks-events?page_size=1', 'Webhooks'],
  ])('the path %s needs the right %s', (path, right) => {
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
    'a 403 to %s %s may mean that the object belongs to another account: %s',
    (method, path, possible) => {
      expect(mayBeForeign(method, path)).toBe(possible);
    },
  );
});
