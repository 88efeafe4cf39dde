import type { ReceiptContent } from './receipt-content.js';

/** Fonts and what sets text in them are loaded with the first receipt: a server that draws none does without. */
export async function receiptPdf(content: ReceiptContent): Promise<Buffer> {
  const drawing = await import('./receipt-pdf.js');
  return drawing.receiptPdf(content);
}
