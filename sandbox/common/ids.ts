import { randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** PayPal's account ids omit characters that are easily confused. */
const ACCOUNT = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const HEX = '0123456789abcdef';

function randomText(alphabet: string, length: number): string {
  let text = '';
  while (text.length < length) text += alphabet.charAt(randomInt(alphabet.length));
  return text;
}

/** Returns an id like Stripe's ids, such as `pi_3Nq…`: a prefix and 24 letters and digits. */
export function stripeId(prefix: string): string {
  return `${prefix}_${randomText(BASE62, 24)}`;
}

export function clientSecret(intentId: string): string {
  return `${intentId}_secret_${randomText(BASE62, 25)}`;
}

/** Returns an id of a PayPal order, capture or refund: 17 capital letters and digits. */
export function paypalId(): string {
  return randomText(BASE36, 17);
}

export function paypalEventId(): string {
  return `WH-${randomText(BASE36, 17)}-${randomText(BASE36, 17)}`;
}

export function payerId(): string {
  return randomText(ACCOUNT, 13);
}

export function debugId(): string {
  return randomText(HEX, 13);
}

export function digits(count: number): string {
  return randomText('0123456789', count);
}
