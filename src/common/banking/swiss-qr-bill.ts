import { ibanProblem, isQrIban, isSwissIban } from './iban.js';
import { isPaymentText, plainAmount } from './payment-text.js';
import { isQrReference, isRfReference } from './transfer-reference.js';

/** A name and a postal address of the type S: each part has its own field. */
export interface StructuredAddress {
  readonly name: string;
  readonly street: string;
  readonly buildingNumber: string;
  readonly postalCode: string;
  readonly town: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** Longest text of each part of an address. */
export const ADDRESS_LENGTHS = {
  name: 70,
  street: 70,
  buildingNumber: 16,
  postalCode: 16,
  town: 35,
} as const;
export const QR_BILL_MESSAGE = 140;

export interface SwissQrBill {
  /** IBAN or QR-IBAN of Switzerland or Liechtenstein. */
  readonly iban: string;
  readonly creditor: StructuredAddress;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: 'CHF' | 'EUR';
  /** A QR reference for a QR-IBAN, otherwise an RF reference; empty for none. */
  readonly reference: string;
  /** Text for the creditor, at most 140 characters. */
  readonly message: string;
}

export type QrBillReference = 'QRR' | 'SCOR' | 'NON';

/** Longest content of a Swiss QR code. */
export const QR_BILL_CHARACTERS = 997;
const DEBTOR_LINES = 7;

/**
 * Returns the content of the Swiss QR code (Swiss Implementation Guidelines QR-bill, version 2). The address of the
 * creditor has the type S. The debtor is left empty.
 * @throws RangeError if a field breaks a rule of the guidelines
 */
export function qrBillPayload(bill: SwissQrBill): string {
  const { iban, creditor, amount, currency, reference, message } = bill;
  if (!isSwissIban(iban) || ibanProblem(iban) !== undefined)
    throw new RangeError('The IBAN is not Swiss or not valid');
  const type = referenceType(bill);
  assertAddress(creditor);
  if (message.length > QR_BILL_MESSAGE || !isPaymentText(message))
    throw new RangeError('The message has at most 140 Latin letters');
  const payload = [
    ...['SPC', '0200', '1', iban],
    ...['S', creditor.name, creditor.street, creditor.buildingNumber],
    ...[creditor.postalCode, creditor.town, creditor.country],
    // The ultimate creditor is reserved for the future.
    ...blank(7),
    ...[plainAmount(amount), currency],
    ...blank(DEBTOR_LINES),
    ...[type, reference, message, 'EPD'],
  ].join('\n');
  if (payload.length > QR_BILL_CHARACTERS) throw new RangeError('The content is longer than 997 characters');
  return payload;
}

/** Returns the type of the reference. A QR-IBAN requires a QR reference, and only a QR-IBAN allows one. */
function referenceType({ iban, reference }: SwissQrBill): QrBillReference {
  if (isQrIban(iban)) {
    if (!isQrReference(reference)) throw new RangeError('A QR-IBAN needs a QR reference');
    return 'QRR';
  }
  if (reference === '') return 'NON';
  if (!isRfReference(reference)) throw new RangeError('An IBAN needs an RF reference');
  return 'SCOR';
}

function assertAddress(address: StructuredAddress): void {
  for (const part of Object.keys(ADDRESS_LENGTHS) as (keyof typeof ADDRESS_LENGTHS)[]) {
    const isNeeded = part === 'name' || part === 'postalCode' || part === 'town';
    const text = address[part];
    if ((isNeeded && text === '') || text.length > ADDRESS_LENGTHS[part] || !isPaymentText(text))
      throw new RangeError(`The ${part} of the creditor is missing, too long or not Latin`);
  }
  if (!/^[A-Z]{2}$/.test(address.country)) throw new RangeError('The country has two letters');
}

const blank = (lines: number): string[] => Array.from({ length: lines }, () => '');
