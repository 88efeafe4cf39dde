import { compact, inFours, mod97 } from './iban.js';

/**
 * Structured references of bank transfers. One number of this service has two forms: the creditor reference of ISO 11649 (`RF`),
 * and the QR reference of Switzerland. Both contain the same 18 digits: the number with 17 digits and a Luhn digit. With
 * the Luhn digit, our references differ from those of other senders.
 */

const NUMBER_DIGITS = 17;
const BODY_DIGITS = NUMBER_DIGITS + 1;
/** Length of our RF references: `RF`, two check digits, 18 digits. */
const RF_LENGTH = 4 + BODY_DIGITS;
/** Longest RF reference of any sender. */
const RF_LONGEST = 25;
export const QRR_LENGTH = 27;
const QRR_ZEROS = '0'.repeat(QRR_LENGTH - 1 - BODY_DIGITS);
const LARGEST = 10n ** BigInt(NUMBER_DIGITS) - 1n;

/** Rows of the method "modulo 10, recursive": row of the carry, then column of the digit. */
const CARRIES = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5] as const;

/** Returns the check digit of Luhn (ISO/IEC 7812-1, annex B) for the digits. */
export function luhnDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

/** Returns the check digit of the method "modulo 10, recursive" for the digits. */
export function recursiveDigit(digits: string): string {
  const carry = [...digits].reduce((row, digit) => CARRIES[(row + Number(digit)) % 10] ?? 0, 0);
  return String((10 - carry) % 10);
}

/** @throws RangeError if the number has more than 17 digits or is not above zero */
function bodyOf(number: bigint): string {
  if (number < 1n || number > LARGEST) throw new RangeError('The number of a reference has 1 to 17 digits');
  const digits = String(number).padStart(NUMBER_DIGITS, '0');
  return digits + luhnDigit(digits);
}

/** Returns the creditor reference of a number: `RF`, two check digits, 18 digits. */
export function rfReference(number: bigint): string {
  const body = bodyOf(number);
  return `RF${String(98 - mod97(`${body}RF00`)).padStart(2, '0')}${body}`;
}

/** Returns the QR reference of a number: 27 digits. */
export function qrReference(number: bigint): string {
  const digits = QRR_ZEROS + bodyOf(number);
  return digits + recursiveDigit(digits);
}

export const isRfReference = (text: string): boolean =>
  /^RF\d{2}[A-Z0-9]{1,21}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1;

export const isQrReference = (text: string): boolean =>
  /^\d{27}$/.test(text) && recursiveDigit(text.slice(0, -1)) === text.at(-1);

/** Returns a reference as banks print it: an RF reference in fours, a QR reference in fives after its first two digits. */
export function printedReference(reference: string): string {
  if (!/^\d{27}$/.test(reference)) return inFours(reference);
  return `${reference.slice(0, 2)} ${reference.slice(2).replace(/(.{5})(?=.)/g, '$1 ')}`;
}

/** Returns the number of a reference of this service; undefined if its check digits are wrong or another sender made it. */
export function numberOfReference(given: string): bigint | undefined {
  const text = compact(given);
  if (isRfReference(text) && text.length === RF_LENGTH) return numberOfBody(text.slice(4));
  if (isQrReference(text) && text.startsWith(QRR_ZEROS))
    return numberOfBody(text.slice(QRR_ZEROS.length, -1));
  return undefined;
}

function numberOfBody(body: string): bigint | undefined {
  const digits = body.slice(0, -1);
  if (!/^\d{18}$/.test(body) || luhnDigit(digits) !== body.at(-1) || BigInt(digits) === 0n) return undefined;
  return BigInt(digits);
}

/**
 * A reference in a text. `own`: this service may have made it; `foreign`: its check digits are right, but another sender made it;
 * `mistyped`: its check digits are wrong.
 */
export type FoundReference =
  | { readonly kind: 'own'; readonly text: string; readonly number: bigint }
  | { readonly kind: 'foreign' | 'mistyped'; readonly text: string };

/** Characters that people and banks put between the groups of a reference. A line break ends a QR reference, but not an RF reference. */
const GAP = '[ \\t\\u00a0\\u2007\\u2009\\u202f.\\-\\u2010-\\u2013/]{1,3}';
const RF_START = new RegExp(`(?<![A-Za-z0-9])RF(?:${GAP})?(?=\\d{2})`, 'gi');
const RF_GROUP = new RegExp(`([A-Za-z0-9]+)(?:(?:${GAP}|\\r?\\n)(?=[A-Za-z0-9]))?`, 'y');
const DIGIT_RUN = new RegExp(`(?<![A-Za-z0-9])\\d+(?:${GAP}\\d+)*(?![A-Za-z0-9])`, 'g');
const QRR_GROUPS = '2,5,5,5,5,5';

/**
 * Finds all references in a text, such as a copied page of an online bank. Each reference is returned once, in the order
 * of the text. Amounts are not read.
 */
export function findReferences(text: string): FoundReference[] {
  const found = [...rfReferencesIn(text), ...qrReferencesIn(text)].sort((one, other) => one.at - other.at);
  const once = new Map<string, FoundReference>();
  for (const { reference } of found) {
    const key = reference.kind === 'own' ? String(reference.number) : reference.text;
    if (!once.has(key)) once.set(key, reference);
  }
  return [...once.values()];
}

interface Placed {
  readonly at: number;
  readonly reference: FoundReference;
}

function* rfReferencesIn(text: string): Generator<Placed> {
  for (const { index: at, 0: start } of text.matchAll(RF_START)) {
    const reference = rfReferenceAt(text, at + start.length);
    if (reference) yield { at, reference };
  }
}

/**
 * Reads the groups after `RF`. A reference ends where a group ends. Of several readings, our own is used, then the longest one with
 * right check digits.
 */
function rfReferenceAt(text: string, after: number): FoundReference | undefined {
  const readings: string[] = [];
  let read = 'RF';
  RF_GROUP.lastIndex = after;
  for (let group = RF_GROUP.exec(text); group && read.length < RF_LONGEST; group = RF_GROUP.exec(text)) {
    read += (group[1] ?? '').toUpperCase();
    if (read.length > RF_LONGEST) break;
    readings.push(read);
    if (group[0] === group[1]) break;
  }
  for (const one of readings) {
    const number = numberOfReference(one);
    if (number !== undefined) return { kind: 'own', text: one, number };
  }
  const foreign = readings.filter(isRfReference).at(-1);
  if (foreign !== undefined) return { kind: 'foreign', text: foreign };
  // A text such as "RF 2026" is too short to be a reference with a mistake.
  const mistyped = readings.find((one) => one.length >= RF_LENGTH - 1 && /^RF\d+$/.test(one));
  return mistyped === undefined ? undefined : { kind: 'mistyped', text: mistyped };
}

function* qrReferencesIn(text: string): Generator<Placed> {
  for (const { index, 0: run } of text.matchAll(DIGIT_RUN)) {
    const groups = [...run.matchAll(/\d+/g)].map((group) => ({ at: index + group.index, digits: group[0] }));
    for (let first = 0; first < groups.length;) {
      const window = windowFrom(groups, first);
      const reference = window && qrReferenceOf(window.lengths, window.digits);
      if (reference) yield { at: groups[first]?.at ?? index, reference };
      first += reference ? window.lengths.length : 1;
    }
  }
}

interface DigitWindow {
  readonly digits: string;
  readonly lengths: readonly number[];
}

/** Joins groups until they have 27 digits; undefined if no group ends there. */
function windowFrom(groups: readonly { readonly digits: string }[], first: number): DigitWindow | undefined {
  let digits = '';
  const lengths: number[] = [];
  for (const group of groups.slice(first)) {
    digits += group.digits;
    lengths.push(group.digits.length);
    if (digits.length >= QRR_LENGTH) break;
  }
  return digits.length === QRR_LENGTH ? { digits, lengths } : undefined;
}

/** Other numbers can have 27 digits too. So without our zeros, only the printed form of a QR reference counts as one. */
function qrReferenceOf(lengths: readonly number[], digits: string): FoundReference | undefined {
  const number = numberOfReference(digits);
  if (number !== undefined) return { kind: 'own', text: digits, number };
  const isPrinted = lengths.length === 1 || lengths.join() === QRR_GROUPS;
  if (isQrReference(digits)) return isPrinted ? { kind: 'foreign', text: digits } : undefined;
  return isPrinted && digits.startsWith(QRR_ZEROS) ? { kind: 'mistyped', text: digits } : undefined;
}
