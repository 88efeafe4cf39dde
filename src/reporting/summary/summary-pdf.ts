import { formatMoney } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import {
  CONTENT_WIDTH,
  type DrawnStyle,
  PAGE,
  Sheet,
  ACCENT,
  BAR,
  INK,
  LEFT,
  LINE,
  MUTED,
  TINT,
  TITLE,
} from '../../documents/pdf/sheet.js';
import type { CurrencySummary } from './summary.js';
import type { EventSummary } from './summary.service.js';
import { OUTSIDE, type SummaryTable, summaryTables, unknownPayouts, type Words } from './summary-tables.js';
const EVENT: DrawnStyle = { size: 14, weight: 'bold', color: INK };
const NOTE: DrawnStyle = { size: 9, weight: 'regular', color: MUTED };
const HEADING: DrawnStyle = { size: 11, weight: 'bold', color: ACCENT };
const CELL: DrawnStyle = { size: 9.5, weight: 'regular', color: INK };
const STRONG: DrawnStyle = { size: 9.5, weight: 'bold', color: INK };
const AMOUNT: DrawnStyle = { size: 24, weight: 'bold', color: ACCENT };

const BOTTOM = PAGE.height - PAGE.margin;
/** Widths of the columns number, received, refunded and net. The name column uses the remaining width. */
const WIDTHS = [48, 96, 96, 96] as const;
const NAME_WIDTH = CONTENT_WIDTH - WIDTHS.reduce((sum, width) => sum + width, 0);

export interface SummaryLook {
  readonly organization: string;
  /** BCP 47. */
  readonly locale: string;
  readonly language: string;
}

export interface SummaryToDraw {
  readonly summary: EventSummary;
  readonly words: Words;
  readonly look: SummaryLook;
}

/** Draws a summary as a tagged A4 document. The tables can need several pages. */
export function summaryPdf({ summary, words, look }: SummaryToDraw): Buffer {
  const sheet = new Sheet({
    title: `${words.summary.title}: ${summary.event.name}`,
    author: look.organization,
    subject: summary.event.name,
    language: look.language,
    createdAt: summary.asOf,
  });
  new SummaryPages(sheet, summary, words, look).draw();
  return sheet.bytes();
}

class SummaryPages {
  private y = PAGE.margin;

  constructor(
    private readonly sheet: Sheet,
    private readonly summary: EventSummary,
    private readonly words: Words,
    private readonly look: SummaryLook,
  ) {}

  draw(): void {
    this.bar();
    this.head();
    for (const block of this.summary.currencies) this.currency(block);
    this.payouts();
  }

  private bar(): void {
    this.sheet.box({ x: 0, y: 0, width: PAGE.width, height: BAR }, { fill: ACCENT });
  }

  private head(): void {
    const { event, asOf, timezone } = this.summary;
    const { summary: own } = this.words;
    this.write(own.title, TITLE, 2, 'H1');
    this.write(event.name, EVENT, 2);
    const { currency } = event;
    const time = dateInWords(asOf, this.look.locale, timezone, { withTime: true, currency });
    this.write(
      [this.look.organization, `${own.asOf} ${time} (${timezone})`].filter(Boolean).join(' · '),
      NOTE,
      16,
    );
  }

  private currency(block: CurrencySummary): void {
    const { summary: own } = this.words;
    const height = 66;
    this.room(height + 60);
    this.sheet.box({ x: LEFT, y: this.y, width: CONTENT_WIDTH, height, radius: 6 }, { fill: TINT });
    const box = { x: LEFT + 16, width: CONTENT_WIDTH - 32 };
    this.sheet.text(`${own.total} · ${block.currency.toUpperCase()}`, NOTE, { ...box, y: this.y + 9 }, 'H2');
    this.sheet.text(this.money(block.net, block.currency), AMOUNT, { ...box, y: this.y + 22, maxLines: 1 });
    this.sheet.text(`${own.donors}: ${block.donorCount}`, STRONG, {
      ...box,
      y: this.y + 26,
      align: 'right',
      maxLines: 1,
    });
    this.y += height + 16;
    const tables = summaryTables(block, this.summary, this.words);
    if (tables.length === 0) this.write(own.empty, CELL, 12);
    for (const table of tables) this.table(table, block.currency);
  }

  private table({ title, lines, columns: titles }: SummaryTable, currency: string): void {
    const { summary: own } = this.words;
    // The title of a table must not be the last line of a page.
    this.room(64);
    this.write(title, HEADING, 3, 'H2');
    const inFull = lines.some(({ amount }) => amount !== null);
    const columns = titles
      ? ['', ...titles]
      : inFull
        ? [own.count, own.received, own.returned, own.net]
        : [own.count, '', '', own.amount];
    this.cells('', columns, NOTE);
    for (const { name, count, amount, refunded, net } of lines) {
      const money = (value: bigint | null) => (value === null ? '' : this.money(value, currency));
      const number = count === null ? '' : String(count);
      this.cells(name, [number, money(amount), money(refunded), money(net)], CELL);
    }
    if (lines.some(({ name }) => name.endsWith(OUTSIDE)))
      this.write(`${OUTSIDE.trim()} ${own.outside}`, NOTE, 0);
    this.y += 12;
  }

  private payouts(): void {
    const { summary: own } = this.words;
    const { data, unknown } = this.summary.payouts;
    if (data.length + unknown.length === 0) return;
    this.room(64);
    this.write(own.payouts, HEADING, 3, 'H2');
    if (data.length > 0) this.cells('', ['', '', own.arrives, own.amount], NOTE);
    for (const { provider, payoutId, amount, currency, arrivesAt } of data)
      this.cells(
        `${provider} ${payoutId}`,
        ['', '', arrivesAt.slice(0, 10), this.money(BigInt(amount), currency)],
        CELL,
      );
    for (const one of unknown) {
      this.room(20);
      this.write(unknownPayouts(own, one), NOTE, 2);
    }
  }

  /** Draws one row. The numbers are right-aligned under their column titles. */
  private cells(name: string, values: readonly string[], style: DrawnStyle): void {
    const height = Math.max(
      name === '' ? 0 : this.sheet.height(name, style, NAME_WIDTH - 8, 2),
      style.size * 1.4,
    );
    this.room(height + 6);
    if (name !== '') this.sheet.text(name, style, { x: LEFT, y: this.y, width: NAME_WIDTH - 8, maxLines: 2 });
    let x = LEFT + NAME_WIDTH;
    values.forEach((value, column) => {
      const width = WIDTHS[column] ?? 0;
      if (value !== '')
        this.sheet.text(value, column === 3 && style === CELL ? STRONG : style, {
          x,
          y: this.y,
          width: width - 4,
          align: 'right',
          maxLines: 1,
        });
      x += width;
    });
    this.y += height + 3;
    this.sheet.rule(LEFT, this.y, CONTENT_WIDTH, LINE);
    this.y += 3;
  }

  private write(text: string, style: DrawnStyle, gap: number, type?: 'H1' | 'H2'): void {
    this.y +=
      this.sheet.text(text, style, { x: LEFT, y: this.y, width: CONTENT_WIDTH, maxLines: 3 }, type) + gap;
  }

  private money(amount: bigint, currency: string): string {
    return formatMoney(amount, currency, this.look.locale);
  }

  private room(height: number): void {
    if (this.y + height <= BOTTOM) return;
    this.sheet.addPage();
    this.bar();
    this.y = PAGE.margin;
  }
}
