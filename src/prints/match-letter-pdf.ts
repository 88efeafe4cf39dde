import { type DrawnStyle, INK, LABEL, LINE, PAGE, Sheet, STRONG } from '../documents/pdf/sheet.js';
import { BODY, drawLetterHead, type LetterHead, SUBJECT, TEXT } from './letter-head.js';

// This code runs on the export thread.

/** Texts of the columns: donation, time, amount, drawn sum. */
export type MatchLetterRow = readonly [number: string, time: string, amount: string, drawn: string];

export interface MatchLetterToDraw extends LetterHead {
  readonly createdAt: Date;
  readonly title: string;
  readonly greeting: string;
  readonly before: readonly string[];
  readonly sums: readonly (readonly [label: string, value: string])[];
  readonly after: readonly string[];
  readonly regards: string;
  readonly listTitle: string;
  readonly heads: MatchLetterRow;
  readonly rows: readonly MatchLetterRow[];
  /** Notes below the list. */
  readonly notes: readonly string[];
}

const BOTTOM = PAGE.height - PAGE.margin;
const GAP = 12;
/** Height of the closing words, which stay together. */
const CLOSING = 75;
const CELL: DrawnStyle = { size: 9, weight: 'regular', color: INK };
const ROW = 16;
/** Widths of time, amount and drawn sum. The first column uses the remaining width. */
const WIDTHS = [130, 95, 95] as const;
const FIRST = BODY.width - WIDTHS.reduce((sum, width) => sum + width, 0);

/** Draws the letter to a matcher: the sums on the first page, then the list of the donations. */
export function matchLetterPdf(letter: MatchLetterToDraw): Uint8Array {
  const sheet = new Sheet({
    title: letter.title,
    author: letter.sender.name,
    subject: letter.title,
    language: letter.language,
    createdAt: letter.createdAt,
  });
  new MatchLetter(sheet, letter).draw();
  return sheet.bytes();
}

class MatchLetter {
  private y = BODY.y;

  constructor(
    private readonly sheet: Sheet,
    private readonly letter: MatchLetterToDraw,
  ) {}

  draw(): void {
    const { title, greeting, before, sums, after, regards, sender } = this.letter;
    drawLetterHead(this.sheet, this.letter);
    this.write(title, SUBJECT, 16, 'H1');
    this.write(greeting, TEXT);
    for (const paragraph of before) this.write(paragraph, TEXT);
    for (const [label, value] of sums) this.sum(label, value);
    this.y += GAP;
    for (const paragraph of after) this.write(paragraph, TEXT);
    this.room(CLOSING);
    this.write(regards, TEXT, 22);
    this.write(sender.signatory, TEXT, 2);
    this.write(sender.name, STRONG, 0);
    if (this.letter.rows.length > 0) this.list();
  }

  private list(): void {
    const { listTitle, heads, rows, notes } = this.letter;
    this.page();
    this.write(listTitle, SUBJECT, 10, 'H2');
    this.row(heads, LABEL);
    for (const row of rows) {
      if (this.y + ROW > BOTTOM) {
        this.page();
        this.row(heads, LABEL);
      }
      this.row(row, CELL);
    }
    this.y += GAP;
    for (const note of notes) this.write(note, LABEL, 4);
  }

  private row(cells: MatchLetterRow, style: DrawnStyle): void {
    let { x } = BODY;
    cells.forEach((cell, column) => {
      const width = WIDTHS[column - 1] ?? FIRST;
      const align = column < 2 ? {} : { align: 'right' as const };
      this.sheet.text(cell, style, { x, y: this.y + 2, width: width - 6, maxLines: 1, ...align });
      x += width;
    });
    this.y += ROW;
    this.sheet.rule(BODY.x, this.y, BODY.width, LINE);
  }

  private sum(label: string, value: string): void {
    this.room(18);
    const half = BODY.width * 0.6;
    this.sheet.text(label, TEXT, { x: BODY.x, y: this.y, width: half, maxLines: 1 });
    this.sheet.text(value, STRONG, {
      x: BODY.x + half,
      y: this.y,
      width: BODY.width - half,
      align: 'right',
      maxLines: 1,
    });
    this.y += 18;
    this.sheet.rule(BODY.x, this.y - 2, BODY.width, LINE);
  }

  private write(text: string, style: DrawnStyle, gap = GAP, type: 'H1' | 'H2' | 'P' = 'P'): void {
    if (text === '') return;
    this.room(this.sheet.height(text, style, BODY.width));
    this.y += this.sheet.text(text, style, { ...BODY, y: this.y }, type) + gap;
  }

  private room(height: number): void {
    if (this.y + height > BOTTOM) this.page();
  }

  private page(): void {
    this.sheet.addPage();
    this.y = PAGE.margin;
  }
}
