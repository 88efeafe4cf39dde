import { givenAt } from '../donations/recording/given-at.js';
import { receiptNumber, type ReceiptSubject } from './receipt-content.js';
import type { IssuedReceipt, PrintedRow } from './receipt-row.js';

/** What a receipt says about a donation. */
export function receiptSubject(row: PrintedRow, receipt: IssuedReceipt): ReceiptSubject {
  const amount = receipt.printed?.amount === undefined ? row.amount : BigInt(receipt.printed.amount);
  return {
    donationId: row.id,
    number: receiptNumber(receipt.year, receipt.number),
    issuedAt: receipt.issued_at,
    copy: receipt.copy,
    status: row.status,
    // A payment that is taken in parts grows; what was given back is never more than was printed.
    amount,
    refundedAmount: row.refunded_amount < amount ? row.refunded_amount : amount,
    currency: row.currency,
    type: row.type,
    replaces: receipt.replaces,
    // What it said when its number was given: one number never stands for two documents.
    donorName: receipt.printed ? receipt.printed.donorName : row.donor_name,
    message: receipt.printed ? receipt.printed.message : row.message,
    donorAddress: row.donor_address,
    giftAid: row.gift_aid,
    receivedAt: givenAt(row),
    eventName: row.event_name,
  };
}
