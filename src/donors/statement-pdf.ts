import {
  CONTENT_WIDTH,
  type DrawnStyle,
  PAGE,
  Sheet,
  ACCENT,
  BAR,
  FOOTER,
  INK,
  LABEL,
  LEFT,
  LINE,
  ORGANIZATION,
  STRONG,
  TINT,
  TITLE,
} from '../documents/pdf/sheet.js';
import type { StatementWording } from './statement-wording.js';

/** The texts of a statement, formatted for its reader. */
export interface StatementContent {
  readonly language: string;
  readonly wording: StatementWording;
  readonly organization: string;
  /** Name, address and tax number of the organization, at the foot of each page. */
  readonly footer: readonly string[];
  /** PNG or JPEG. */
  readonly logo: Uint8Array | undefined;
  /** The year, or the first and last day. */
  readonly period: string;
  readonly intro: string;
  readonly madeOn: string;
  readonly madeAt: Date;
  readonly donor: readonly string[];
  readonly lines: readonly StatementLine[];
  /** One total for each currency. */
  readonly totals: readonly string[];
}

export interface StatementLine {
  readonly date: string;
  readonly event: string;
  readonly receipt: string;
  readonly amount: string;
  /** Refunded part of the donation. */
  readonly refunded: string | undefined;
}

const DONOR: DrawnStyle = { size: 14, weight: 'bold', color: INK };
const VALUE: DrawnStyle = { size: 10, weight: 'regular', color: INK };
const TOTAL: DrawnStyle = { size: 17, weight: 'bold', color: ACCENT };

const HALF = CONTENT_WIDTH / 2 - 12;
const COLUMNS = [
  { x: LEFT, width: 92 },
  { x: LEFT + 98, width: 190 },
  { x: LEFT + 294, width: 84 },
  { x: LEFT + 382, width: CONTENT_WIDTH - 382, align: 'right' as const },
] as const;
const FOOTER_LINES = 2;

/** Draws a statement as tagged A4 pages. */
export function statementPdf(content: StatementContent): Buffer {
  const sheet = new Sheet({
    title: `${content.wording.title} ${content.period}`,
    author: content.organization,
    subject: content.period,
    language: content.language,
    createdAt: content.madeAt,
  });
  new StatementPages(sheet, content).draw();
  return sheet.bytes();
}

class StatementPages {
  private y = PAGE.margin;
  private page = 1;
  private readonly bottom: number;

  constructor(
    private readonly sheet: Sheet,
    private readonly content: StatementContent,
  ) {
    this.bottom = PAGE.height - PAGE.margin - 30;
  }

  draw(): void {
    this.frame();
    this.head();
    this.tableHead();
    for (const line of this.content.lines) this.line(line);
    this.totals();
  }

  private frame(): void {
    const { sheet, content, page } = this;
    sheet.box({ x: 0, y: 0, width: PAGE.width, height: BAR }, { fill: ACCENT });
    let y = PAGE.height - PAGE.margin - 10;
    sheet.rule(LEFT, y, CONTENT_WIDTH, LINE);
    y += 7;
    const number = content.wording.page.replace('{page}', String(page));
    sheet.text(number, FOOTER, { x: LEFT + CONTENT_WIDTH - 80, y, width: 80, align: 'right' });
    for (const text of content.footer.filter(Boolean))
      y += sheet.text(text, FOOTER, { x: LEFT, y, width: CONTENT_WIDTH - 90, maxLines: FOOTER_LINES });
  }

  private head(): void {
    const { sheet, content } = this;
    const { wording } = content;
    let left = this.y;
    if (content.logo) {
      sheet.image(content.logo, { x: LEFT, y: left, width: 170, height: 62 }, content.organization);
      left += 62;
    } else
      left += sheet.text(content.organization, ORGANIZATION, { x: LEFT, y: left, width: HALF, maxLines: 4 });
    const box = { x: LEFT + CONTENT_WIDTH - HALF, width: HALF, align: 'right' as const };
    let { y } = this;
    y += sheet.text(wording.title, TITLE, { ...box, y, maxLines: 2 }, 'H1') + 2;
    y += sheet.text(content.period, content.period.length > 4 ? STRONG : ORGANIZATION, { ...box, y });
    y += sheet.text(`${wording.made} ${content.madeOn}`, LABEL, { ...box, y });
    this.y = Math.max(left, y) + 18;
    sheet.rule(LEFT, this.y, CONTENT_WIDTH, LINE);
    this.y += 20;
    const whole = { x: LEFT, width: CONTENT_WIDTH };
    this.y += sheet.text(wording.of, LABEL, { ...whole, y: this.y }) + 2;
    const [name = '', ...address] = content.donor;
    this.y += sheet.text(name, DONOR, { ...whole, y: this.y, maxLines: 3 }, 'H2');
    for (const line of address) this.y += sheet.text(line, VALUE, { ...whole, y: this.y, maxLines: 2 });
    this.y += 18;
    this.y += sheet.text(content.intro, VALUE, { ...whole, y: this.y }) + 12;
  }

  private tableHead(): void {
    const { sheet, content } = this;
    const { date, event, receipt, amount } = content.wording;
    sheet.box({ x: LEFT - 8, y: this.y, width: CONTENT_WIDTH + 16, height: 24, radius: 4 }, { fill: TINT });
    [date, event, receipt, amount].forEach((label, index) => {
      const column = COLUMNS[index];
      if (column) sheet.text(label, LABEL, { ...column, y: this.y + 5, maxLines: 1 });
    });
    this.y += 30;
  }

  private line({ date, event, receipt, amount, refunded }: StatementLine): void {
    const { sheet, content } = this;
    const [day, where, number, sum] = COLUMNS;
    const height = Math.max(
      sheet.height(date, VALUE, day.width, 2),
      sheet.height(event, VALUE, where.width, 2),
      sheet.height(amount, STRONG, sum.width, 1) + (refunded === undefined ? 0 : 24),
    );
    this.room(height + 14);
    sheet.text(date, VALUE, { ...day, y: this.y, maxLines: 2 });
    sheet.text(event, VALUE, { ...where, y: this.y, maxLines: 2 });
    sheet.text(receipt, VALUE, { ...number, y: this.y, maxLines: 1 });
    const taken = sheet.text(amount, STRONG, { ...sum, y: this.y, maxLines: 1 });
    if (refunded !== undefined) {
      const text = content.wording.lessRefunded.replace('{amount}', refunded);
      sheet.text(text, FOOTER, { ...sum, y: this.y + taken, maxLines: 2 });
    }
    this.y += height + 6;
    sheet.rule(LEFT, this.y, CONTENT_WIDTH, LINE);
    this.y += 7;
  }

  private totals(): void {
    const { sheet, content } = this;
    this.room(content.totals.length * 26 + 60);
    this.y += 8;
    sheet.text(content.wording.total, STRONG, { x: LEFT, y: this.y + 6, width: HALF });
    for (const total of content.totals)
      this.y += sheet.text(total, TOTAL, {
        x: LEFT + CONTENT_WIDTH / 2,
        y: this.y,
        width: CONTENT_WIDTH / 2,
        align: 'right',
        maxLines: 1,
      });
    this.y += 16;
    sheet.text(content.wording.note, LABEL, { x: LEFT, y: this.y, width: CONTENT_WIDTH });
  }

  /** Starts a new page if the block does not fit on this one. */
  private room(height: number): void {
    if (this.y + height <= this.bottom) return;
    this.sheet.addPage();
    this.page++;
    this.y = PAGE.margin;
    this.frame();
    this.tableHead();
  }
}
