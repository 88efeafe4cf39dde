import { ibanProblem, isBic, isInEea, isQrIban } from './iban.js';
import { isPaymentText, plainAmount } from './payment-text.js';
import { isRfReference } from './transfer-reference.js';

/** A SEPA transfer for the code of EPC069-12. */
export interface EpcTransfer {
  readonly name: string;
  readonly iban: string;
  /** Empty if unknown; required for an account outside the European Economic Area. */
  readonly bic: string;
  /** Euro cents. */
  readonly amount: bigint;
  /** An RF reference. */
  readonly reference: string;
}

/** Largest content of the code. With error correction M, it fits into version 13. */
export const EPC_BYTES = 331;
export const EPC_NAME = 70;
export const EPC_VERSION = 13;

/**
 * Returns the content of the code that banking apps of the euro area scan (EPC069-12, version 002). The last two lines, a
 * text and a note, are left out, because a transfer has a reference or a text.
 * @throws RangeError if a field breaks a rule of EPC069-12
 */
export function epcPayload({ name, iban, bic, amount, reference }: EpcTransfer): string {
  if (ibanProblem(iban) !== undefined || isQrIban(iban))
    throw new RangeError('The IBAN is not valid, or is a QR-IBAN');
  if (bic === '' ? !isInEea(iban) : !isBic(bic)) throw new RangeError('The BIC is missing or not valid');
  if (name === '' || name.length > EPC_NAME || !isPaymentText(name))
    throw new RangeError('The name has 1 to 70 Latin letters');
  if (!isRfReference(reference)) throw new RangeError('The reference is no RF reference');
  const lines = ['BCD', '002', '1', 'SCT', bic, name, iban, `EUR${plainAmount(amount)}`, 'CHAR', reference];
  const payload = lines.join('\n');
  if (Buffer.byteLength(payload) > EPC_BYTES) throw new RangeError('The content is longer than 331 bytes');
  return payload;
}
