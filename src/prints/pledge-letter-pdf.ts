import type { PaymentPart } from '../transfers/payment-part-pdf.js';
import { drawPaymentPart, PAYMENT_PART } from '../transfers/payment-part-pdf.js';
import { type DrawnStyle, INK, LABEL, PAGE, Sheet, STRONG } from '../documents/pdf/sheet.js';
import { BODY, drawLetterHead, type LetterHead, MM, SUBJECT, TEXT } from './letter-head.js';

// This code runs on the export thread.

/** A way to pay a pledge: its code, and its address in words. */
export interface DrawnWayToPay {
  readonly rows: readonly (readonly boolean[])[];
  readonly address: string;
  readonly alt: string;
}

/** Bank details of a transfer as printed, and its code. */
export interface DrawnTransfer {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, value: string])[];
  /** Undefined if donors get no EPC code. */
  readonly code:
    { readonly rows: DrawnWayToPay['rows']; readonly alt: string; readonly scan: string } | undefined;
}

export interface LetterToDraw extends LetterHead {
  readonly title: string;
  readonly greeting: string;
  readonly before: readonly string[];
  readonly pledges: readonly {
    readonly amount: string;
    readonly what: string;
    readonly ways: readonly DrawnWayToPay[];
  }[];
  /** Bank details with the EPC code, one for each pledge. */
  readonly transfers: readonly DrawnTransfer[];
  /** QR-bills, one for each pledge, each at the bottom of a page. */
  readonly bills: readonly PaymentPart[];
  readonly after: readonly string[];
  readonly regards: string;
}

export interface LettersToDraw {
  readonly title: string;
  readonly author: string;
  readonly createdAt: Date;
  /** At least one. */
  readonly letters: readonly LetterToDraw[];
}

const BOTTOM = PAGE.height - PAGE.margin;
const CODE = 32 * MM;
/** With bank details, the letter has more codes, and still fits on one page. */
const SMALL_CODE = 26 * MM;
/** Height of the closing words, which stay together. */
const CLOSING = 75;
const GAP = 12;

const AMOUNT: DrawnStyle = { size: 14, weight: 'bold', color: INK };
const ADDRESS: DrawnStyle = { size: 9, weight: 'regular', color: INK };

/** Draws letters about unpaid pledges, each on its own pages and in its own language. */
export function pledgeLettersPdf({ letters, ...facts }: LettersToDraw): Uint8Array {
  const language = letters[0]?.language ?? 'en';
  const sheet = new Sheet({ ...facts, subject: facts.title, language });
  letters.forEach((letter, index) => {
    sheet.addPart(letter.language, { isFirst: index === 0 });
    new Letter(sheet, letter).draw();
  });
  return sheet.bytes();
}

class Letter {
  private y = BODY.y;
  private readonly code: number;

  constructor(
    private readonly sheet: Sheet,
    private readonly letter: LetterToDraw,
  ) {
    this.code = letter.transfers.length > 0 ? SMALL_CODE : CODE;
  }

  draw(): void {
    const { title, greeting, before, after, regards, sender } = this.letter;
    drawLetterHead(this.sheet, this.letter);
    this.write(title, SUBJECT, 16, 'H1');
    this.write(greeting, TEXT);
    for (const paragraph of before) this.write(paragraph, TEXT);
    for (const pledge of this.letter.pledges) this.pledge(pledge);
    for (const transfer of this.letter.transfers) this.transfer(transfer);
    for (const paragraph of after) this.write(paragraph, TEXT);
    this.room(CLOSING);
    this.write(regards, TEXT, 22);
    this.write(sender.signatory, TEXT, 2);
    this.write(sender.name, STRONG, 0);
    for (const bill of this.letter.bills) this.bill(bill);
  }

  /** Draws a QR-bill at the bottom of the page, or of a new page if the letter reaches it. */
  private bill(bill: PaymentPart): void {
    const top = PAGE.height - PAYMENT_PART.height;
    if (this.y + GAP > top) this.sheet.addPage();
    // A QR-bill has the same places in every language.
    this.sheet.unmirrored(() => drawPaymentPart(this.sheet, bill, top));
    this.y = PAGE.height;
  }

  /** Draws bank details with their code. */
  private transfer({ title, lines, code }: DrawnTransfer): void {
    const beside = code ? { x: BODY.x + this.code + 16, width: BODY.width - this.code - 16 } : BODY;
    this.room(this.code + 2 * GAP);
    const start = this.y;
    this.y += this.sheet.text(title, STRONG, { ...beside, y: this.y }) + 4;
    for (const [label, value] of lines) {
      const half = 34 * MM;
      const height = this.sheet.text(label, LABEL, { x: beside.x, width: half, y: this.y });
      const rest = { x: beside.x + half, width: beside.width - half };
      this.y += Math.max(height, this.sheet.text(value, ADDRESS, { ...rest, y: this.y })) + 2;
    }
    if (code) {
      this.y += this.sheet.text(code.scan, LABEL, { ...beside, y: this.y + 2 }) + 2;
      this.sheet.code(code.rows, { x: BODY.x, y: start, width: this.code }, code.alt);
    }
    this.y = Math.max(this.y, code ? start + this.code : 0) + GAP;
  }

  /** Draws the amount, and a code next to its address for each way to pay. */
  private pledge({ amount, what, ways }: LetterToDraw['pledges'][number]): void {
    const beside = { x: BODY.x + this.code + 16, width: BODY.width - this.code - 16 };
    const [first, ...others] = ways;
    this.room(first ? this.code + GAP : 40);
    const start = this.y;
    const text = first ? beside : { x: BODY.x, width: BODY.width };
    this.y += this.sheet.text(amount, AMOUNT, { ...text, y: this.y, maxLines: 1 });
    this.y += this.sheet.text(what, LABEL, { ...text, y: this.y, maxLines: 2 }) + 6;
    if (first) this.way(first, start, beside);
    for (const way of others) {
      this.room(this.code + GAP);
      this.way(way, this.y, beside);
    }
  }

  private way(
    { rows, address, alt }: DrawnWayToPay,
    top: number,
    beside: { readonly x: number; readonly width: number },
  ): void {
    this.sheet.code(rows, { x: BODY.x, y: top, width: this.code }, alt);
    const height = this.sheet.text(address, ADDRESS, { ...beside, y: this.y });
    this.y = Math.max(top + this.code, this.y + height) + GAP;
  }

  private write(text: string, style: DrawnStyle, gap = GAP, type: 'H1' | 'P' = 'P'): void {
    if (text === '') return;
    this.room(this.sheet.height(text, style, BODY.width));
    this.y += this.sheet.text(text, style, { ...BODY, y: this.y }, type) + gap;
  }

  private room(height: number): void {
    if (this.y + height <= BOTTOM) return;
    this.sheet.addPage();
    this.y = PAGE.margin;
  }
}
