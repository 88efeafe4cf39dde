import { epcPayload } from '../common/banking/epc-code.js';
import { isQrIban } from '../common/banking/iban.js';
import { paymentText } from '../common/banking/payment-text.js';
import { QR_BILL_MESSAGE, qrBillPayload, type StructuredAddress } from '../common/banking/swiss-qr-bill.js';
import { qrReference, rfReference } from '../common/banking/transfer-reference.js';
import type { TransferAccount, TransferFormat } from './transfer-account.js';

/** All data that a donor needs for a transfer. The page, the e-mail, the letter and the code show these same characters. */
export interface TransferDetails {
  readonly format: TransferFormat;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: 'EUR' | 'CHF';
  readonly iban: string;
  /** Empty if unknown. */
  readonly bic: string;
  readonly holder: StructuredAddress;
  /** Without spaces, as in the code. */
  readonly reference: string;
  /** Text for the charity, on QR-bills; may be empty. */
  readonly message: string;
  /** Content of the code; empty if donors get no EPC code. */
  readonly payload: string;
}

/** Returns the reference of a number for an account: a QR reference for a QR-IBAN, otherwise an RF reference. */
export const referenceFor = ({ iban }: Pick<TransferAccount, 'iban'>, number: bigint): string =>
  isQrIban(iban) ? qrReference(number) : rfReference(number);

/** Returns the details of one transfer. */
export function transferDetails(
  account: TransferAccount,
  {
    number,
    amount,
    eventName,
  }: { readonly number: bigint; readonly amount: bigint; readonly eventName: string },
): TransferDetails {
  const { format, currency, iban, bic, holder, hasCode } = account;
  const reference = referenceFor(account, number);
  const message = format === 'qr_bill' ? paymentText(eventName, QR_BILL_MESSAGE) : '';
  const payload =
    format === 'qr_bill'
      ? qrBillPayload({ iban, creditor: holder, amount, currency, reference, message })
      : hasCode
        ? epcPayload({ name: holder.name, iban, bic, amount, reference })
        : '';
  return { format, amount, currency, iban, bic, holder, reference, message, payload };
}
