/** The result of confirming a payment with a card or test method. */
export type CardOutcome =
  | { kind: 'pays' }
  | { kind: 'declines'; declineCode: string }
  | { kind: 'authenticates' }
  | { kind: 'processes' }
  | { kind: 'disputed' }
  | { kind: 'invalid'; code: 'incorrect_number' | 'invalid_expiry_year' | 'invalid_cvc'; message: string };

const PAYS: CardOutcome = { kind: 'pays' };

/** Stripe's test numbers. The last one exists only in the sandbox, because Stripe has no slow card. */
const NUMBERS: Record<string, CardOutcome> = {
  '4242424242424242': PAYS,
  '4000000000000002': { kind: 'declines', declineCode: 'generic_decline' },
  '4000000000009995': { kind: 'declines', declineCode: 'insufficient_funds' },
  '4000002760003184': { kind: 'authenticates' },
  '4000002500003155': { kind: 'authenticates' },
  '4000000000000341': { kind: 'declines', declineCode: 'generic_decline' },
  '4000000000000259': { kind: 'disputed' },
  '4000000000001000': { kind: 'processes' },
};

/**
 * Finds the result of a card number. Spaces are ignored. A number that is not a test number pays if its check digit
 * is valid.
 */
export function byNumber(number: string): CardOutcome {
  const digits = digitsOf(number);
  const known = NUMBERS[digits];
  if (known) return known;
  if (/^\d{12,19}$/.test(digits) && passesLuhn(digits)) return PAYS;
  return { kind: 'invalid', code: 'incorrect_number', message: 'Your card number is incorrect.' };
}

/** The number of a card that can be saved, although every later charge is declined. */
const SAVES_AND_DECLINES = '4000000000000341';
/** The number of a card that needs 3-D Secure only when it is saved. */
const AUTHENTICATES_ONCE = '4000002500003155';

/** Finds the result of saving a card. */
export const bySetup = (number: string): CardOutcome =>
  digitsOf(number) === SAVES_AND_DECLINES ? PAYS : byNumber(number);

/** Finds the result of charging a saved card while the donor is away. */
export const bySavedCard = (number: string): CardOutcome =>
  digitsOf(number) === AUTHENTICATES_ONCE ? PAYS : byNumber(number);

export const digitsOf = (number: string): string => number.replace(/[\s-]/g, '');

/** Finds the result of a test method, such as `pm_card_visa`. */
export function byMethod(method: string): CardOutcome {
  if (/declined/i.test(method)) return { kind: 'declines', declineCode: 'generic_decline' };
  if (/authenticationRequired|threeDSecure/i.test(method)) return { kind: 'authenticates' };
  if (/createDispute/i.test(method)) return { kind: 'disputed' };
  if (/processing/i.test(method)) return { kind: 'processes' };
  return PAYS;
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
