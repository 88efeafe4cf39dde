/** Rights of an application, by their names at PayPal, and the paths that need them. */
const RIGHTS: readonly (readonly [path: string, right: string])[] = [
  ['/v1/reporting/transactions', 'Transaction search'],
  ['/v1/customer/disputes', 'Customer disputes'],
  ['/v1/notifications/', 'Webhooks'],
];
const PAYMENTS = 'Accept payments';

export const rightOf = (path: string): string =>
  RIGHTS.find(([start]) => path.startsWith(start))?.[1] ?? PAYMENTS;

/** True if a success proves the right. A payment can be read without the right to create or refund one. */
export const showsRight = (method: string, path: string): boolean =>
  method === 'POST' || rightOf(path) !== PAYMENTS;

/**
 * True if a 403 may also mean that the object belongs to another account. PayPal gives the same answer for a single
 * order, capture or refund of another account as for a missing right.
 */
export const mayBeForeign = (method: string, path: string): boolean =>
  method === 'GET' && /^\/v2\/(?:checkout\/orders|payments\/(?:captures|refunds))\/[^/?]+$/.test(path);
