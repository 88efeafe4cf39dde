import { type DrawnStyle, type Paper, Sheet } from '../documents/pdf/sheet.js';
import type { PaymentPartWording } from './payment-part-wording.js';
import { type CodeRows, QR_BILL_CODE_MM, SWISS_CROSS } from './transfer-code.js';

// This code runs on the export thread.

/** The content of a payment part. All texts are as printed. */
export interface PaymentPart {
  readonly wording: PaymentPartWording;
  readonly currency: string;
  readonly amount: string;
  readonly iban: string;
  /** Name and address of the account holder, one line each. */
  readonly holder: readonly string[];
  readonly reference: string;
  readonly message: string;
  readonly rows: CodeRows;
}

export interface PaymentPartToDraw extends PaymentPart {
  readonly title: string;
  readonly author: string;
  readonly language: string;
  readonly createdAt: Date;
}

const INCH_MM = 25.4;
const mm = (millimetres: number): number => (millimetres / INCH_MM) * 72;

/** Size of the receipt and the payment part together: 210 × 105 mm. */
export const PAYMENT_PART: Paper = { width: mm(210), height: mm(105) };
const RECEIPT_WIDTH = 62;
const BLACK = '#000000';
const LINE = 0.75;

const style = (size: number, leading: number, weight: DrawnStyle['weight'] = 'regular'): DrawnStyle => ({
  size,
  weight,
  color: BLACK,
  // The guidelines give the distance of lines in points.
  leading: leading / size,
});

const TITLE = style(11, 13, 'bold');
/** Text sizes of the receipt (6 and 8 points) and of the payment part (8 and 10 points). */
const RECEIPT = { label: style(6, 9, 'bold'), value: style(8, 9) };
const PART = { label: style(8, 11, 'bold'), value: style(10, 11) };
type Sizes = typeof RECEIPT;

/** Draws a page of 210 × 105 mm with the receipt and the payment part. */
export function paymentPartPdf(part: PaymentPartToDraw): Uint8Array {
  const { title, author, language, createdAt, wording } = part;
  const sheet = new Sheet({
    title,
    author,
    subject: wording.paymentPart,
    language,
    createdAt,
    paper: PAYMENT_PART,
  });
  drawPaymentPart(sheet, part, 0);
  return sheet.bytes();
}

/**
 * Draws the receipt and the payment part with the lines to cut, as the Swiss Implementation Guidelines QR-bill describe them.
 * @param top distance from the top of the page, in points; on A4 it is the height of the page less 105 mm
 */
export function drawPaymentPart(sheet: Sheet, part: PaymentPart, top: number): void {
  cutLines(sheet, top);
  drawReceipt(sheet, part, top);
  drawPart(sheet, part, top);
}

function drawReceipt(sheet: Sheet, part: PaymentPart, top: number): void {
  const { wording } = part;
  const at = (x: number, y: number, width = RECEIPT_WIDTH - 10) => box(top, x, y, width);
  sheet.text(wording.receipt, TITLE, at(5, 5), 'H1');
  let y = top + mm(12);
  y = block(sheet, RECEIPT, wording.account, [part.iban, ...part.holder], { ...at(5, 12), y });
  y = block(sheet, RECEIPT, wording.reference, [part.reference], { ...at(5, 12), y });
  y += sheet.text(wording.payableBy, RECEIPT.label, { ...at(5, 12), y }) + 1;
  corners(sheet, { x: mm(5), y, width: mm(52), height: mm(20) });
  amountBlock(sheet, RECEIPT, part, top, { x: 5, y: 68, second: 17 });
  sheet.text(wording.acceptancePoint, RECEIPT.label, { ...at(5, 82), align: 'right' });
}

function drawPart(sheet: Sheet, part: PaymentPart, top: number): void {
  const { wording, rows } = part;
  const left = RECEIPT_WIDTH + 5;
  const at = (x: number, y: number, width: number) => box(top, x, y, width);
  sheet.text(wording.paymentPart, TITLE, at(left, 5, 51), 'H1');
  const code = { x: mm(left), y: top + mm(17), width: mm(QR_BILL_CODE_MM) };
  sheet.code(rows, code, wording.codeAlt);
  const [x, y] = [code.x + code.width / 2, code.y + code.width / 2];
  for (const { width, height, isDark } of SWISS_CROSS)
    sheet.box(
      { x: x - mm(width) / 2, y: y - mm(height) / 2, width: mm(width), height: mm(height) },
      { fill: isDark ? BLACK : '#ffffff' },
    );
  amountBlock(sheet, PART, part, top, { x: left, y: 68, second: 20 });
  const right = at(left + 51, 5, 87);
  let below = right.y;
  below = block(sheet, PART, wording.account, [part.iban, ...part.holder], { ...right, y: below });
  below = block(sheet, PART, wording.reference, [part.reference], { ...right, y: below });
  if (part.message !== '')
    below = block(sheet, PART, wording.furtherInformation, [part.message], { ...right, y: below });
  below += sheet.text(wording.payableBy, PART.label, { ...right, y: below }) + 1;
  corners(sheet, { x: right.x, y: below, width: mm(65), height: mm(25) });
}

const box = (top: number, x: number, y: number, width: number) => ({
  x: mm(x),
  y: top + mm(y),
  width: mm(width),
});

/** Draws a heading and its lines, and returns the position below them. */
function block(
  sheet: Sheet,
  sizes: Sizes,
  label: string,
  lines: readonly string[],
  place: { readonly x: number; readonly y: number; readonly width: number },
): number {
  let { y } = place;
  y += sheet.text(label, sizes.label, { ...place, y });
  for (const line of lines) y += sheet.text(line, sizes.value, { ...place, y });
  // An empty line follows each block.
  return y + sizes.value.size;
}

function amountBlock(
  sheet: Sheet,
  sizes: Sizes,
  { wording, currency, amount }: PaymentPart,
  top: number,
  { x, y, second }: { readonly x: number; readonly y: number; readonly second: number },
): void {
  const [left, right] = [box(top, x, y, second), box(top, x + second, y, 36)];
  const height = sheet.text(wording.currency, sizes.label, left);
  sheet.text(wording.amount, sizes.label, right);
  sheet.text(currency, sizes.value, { ...left, y: left.y + height });
  sheet.text(amount, sizes.value, { ...right, y: right.y + height });
}

/** Draws the corners of an empty field that the payer fills in by hand. */
function corners(sheet: Sheet, field: { x: number; y: number; width: number; height: number }): void {
  const { x, y, width, height } = field;
  const arm = mm(3);
  for (const [left, up] of [
    [true, true],
    [false, true],
    [true, false],
    [false, false],
  ]) {
    const edge = left ? x : x + width - LINE;
    const level = up ? y : y + height - LINE;
    sheet.rule(left ? x : x + width - arm, level, arm, BLACK, LINE);
    sheet.box({ x: edge, y: up ? y : y + height - arm, width: LINE, height: arm }, { fill: BLACK });
  }
}

/** Draws the lines to cut, with scissors: above both parts, and between them. */
function cutLines(sheet: Sheet, top: number): void {
  const scissors: DrawnStyle = { size: 12, weight: 'regular', color: BLACK };
  sheet.rule(0, top, PAYMENT_PART.width, BLACK, 0.5);
  sheet.box(
    { x: mm(RECEIPT_WIDTH) - 0.25, y: top, width: 0.5, height: PAYMENT_PART.height },
    { fill: BLACK },
  );
  sheet.text('\u2702', scissors, { x: mm(RECEIPT_WIDTH) - 6, y: top + mm(97), width: 20 });
  if (top > 0) sheet.text('\u2702', scissors, { x: mm(5), y: top - 9, width: 20 });
}
