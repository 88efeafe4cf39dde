/**
 * Path prefixes of PayPal's API, and the right that each prefix needs. The rights have the names of PayPal's
 * dashboard.
 */
const RIGHTS: readonly (readonly [path: string, right: string])[] = [
  ['/v1/reporting/', 'Transaction search'],
  ['/v1/customer/disputes', 'Customer disputes'],
  ['/v1/notifications/', 'Webhooks'],
];
const PAYMENTS = 'Accept payments';

export const rightOf = (path: string): string =>
  RIGHTS.find(([start]) => path.startsWith(start))?.[1] ?? PAYMENTS;

/**
 * True if a successful request proves that the application has the permission. A GET of a payment proves nothing, because
 * it works without the right to create or refund payments.
 */
export const showsRight = (method: string, path: string): boolean =>
  method === 'POST' || rightOf(path) !== PAYMENTS;

/**
 * True if a 403 may also mean that the object belongs to another account. For an order, capture or refund of another
 * account, PayPal sends the same answer as for a missing permission.
 */
export const mayBeForeign = (method: string, path: string): boolean =>
  method === 'GET' && /^\/v2\/(?:checkout\/orders|payments\/(?:captures|refunds))\/[^/?]+$/.test(path);
