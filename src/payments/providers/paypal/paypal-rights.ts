/** The rights of an application, by their names at PayPal, and the paths that need them. */
const RIGHTS: readonly (readonly [path: string, right: string])[] = [
  ['/v1/reporting/transactions', 'Transaction search'],
  ['/v1/customer/disputes', 'Customer disputes'],
  ['/v1/notifications/', 'Webhooks'],
];
const PAYMENTS = 'Accept payments';

export const rightOf = (path: string): string =>
  RIGHTS.find(([start]) => path.startsWith(start))?.[1] ?? PAYMENTS;

/** Whether a success shows that the application has the right: to see a payment takes less than to make or refund one. */
export const showsRight = (method: string, path: string): boolean =>
  method === 'POST' || rightOf(path) !== PAYMENTS;

/**
 * Whether a 403 may also mean that the object belongs to somebody else: PayPal says the same of one order, capture or refund that
 * is not ours as of all of them.
 */
export const mayBeForeign = (method: string, path: string): boolean =>
  method === 'GET' && /^\/v2\/(?:checkout\/orders|payments\/(?:captures|refunds))\/[^/?]+$/.test(path);
