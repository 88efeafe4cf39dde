import type { ReceiptContent } from './receipt-content.js';

let drawing: Promise<typeof import('./receipt-pdf.js')> | undefined;

/** Fonts and what sets text in them are loaded with the first receipt: a server that draws none does without. */
export async function receiptPdf(content: ReceiptContent): Promise<Buffer> {
  // Asked again for each receipt, Node would look for the file each time.
  drawing ??= import('./receipt-pdf.js');
  return (await drawing).receiptPdf(content);
}
