/**
 * Texts of bank transfers. Banks accept the Latin letters of the Swiss Payment Standards (extended character set, in QR-bills since
 * 21 November 2025): Basic Latin, Latin-1 Supplement, Latin Extended-A, and a few more.
 */

/** JSON schema pattern of the texts that banks accept. */
export const PAYMENT_PATTERN = '^[\\u0020-\\u007E\\u00A1-\\u00AC\\u00AE-\\u017F\\u0218-\\u021B\\u20AC]*$';

const REFUSED = /[^\u0020-\u007e\u00a1-\u00ac\u00ae-\u017f\u0218-\u021b\u20ac]/u;

/** True if banks accept all characters of the text. */
export const isPaymentText = (text: string): boolean => !REFUSED.test(text);

/** Returns the text without the characters that banks refuse, in at most `max` characters. */
export function paymentText(text: string, max: number): string {
  const plain = [...text.normalize('NFC')].map((one) => (isPaymentText(one) ? one : latinOf(one))).join('');
  return plain.replace(/\s+/g, ' ').trim().slice(0, max).trim();
}

/** Signs with a Latin form. The names of events contain these more often than other scripts. */
const LATIN: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u2010': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2026': '...',
};

function latinOf(character: string): string {
  const bare = character.normalize('NFKD').replace(/\p{M}/gu, '');
  return LATIN[character] ?? (isPaymentText(bare) ? bare : ' ');
}

/** Largest amount of a transfer by code, in minor units: 999,999,999.99. */
export const LARGEST_TRANSFER = 99_999_999_999n;

/** True if a code can contain the amount, in minor units of a currency with two decimals. */
export const isTransferAmount = (amount: bigint): boolean => amount >= 1n && amount <= LARGEST_TRANSFER;

/** Returns an amount in minor units with a point and two decimals, without grouping: `12.34`. */
export function plainAmount(amount: bigint): string {
  if (!isTransferAmount(amount))
    throw new RangeError('The amount of a transfer is from 0.01 to 999999999.99');
  const digits = String(amount).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
