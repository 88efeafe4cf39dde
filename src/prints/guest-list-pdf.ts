import {
  ACCENT,
  CONTENT_WIDTH,
  type DrawnStyle,
  INK,
  LEFT,
  LINE,
  MUTED,
  PAGE,
  Sheet,
} from '../documents/pdf/sheet.js';
import type { GuestListWording } from './guest-list-wording.js';

// This code runs on the export thread.

export interface PrintedGuest {
  readonly name: string;
  readonly table: string | null;
  readonly seat: string | null;
  readonly paddle: string | null;
  readonly note: string | null;
}

export interface GuestListToDraw {
  readonly event: string;
  readonly organization: string;
  readonly language: string;
  readonly wording: GuestListWording;
  readonly order: 'table' | 'name';
  /** Sorted by name. */
  readonly guests: readonly PrintedGuest[];
  readonly createdAt: Date;
}

const style = (size: number, color: string, weight: DrawnStyle['weight'] = 'regular'): DrawnStyle => ({
  size,
  weight,
  color,
});
const TITLE = style(17, ACCENT, 'bold');
const HEADING = style(13, INK, 'bold');
const LABEL = style(8.5, MUTED);
const CELL = style(10.5, INK);
const STRONG = style(10.5, INK, 'bold');

const BOTTOM = PAGE.height - PAGE.margin;
const ROW = 22;
const BOX = 11;
/** Position and width of the columns, from the reading side. */
const COLUMNS = {
  name: { x: 20, width: 190 },
  table: { x: 216, width: 70 },
  seat: { x: 290, width: 40 },
  paddle: { x: 334, width: 56 },
  note: { x: 394, width: CONTENT_WIDTH - 394 },
} as const;
type Column = keyof typeof COLUMNS;

const naturally = new Intl.Collator('en', { numeric: true });

/** Draws a guest list with a box to tick for each guest, for a check-in without phones. */
export function guestListPdf(list: GuestListToDraw): Uint8Array {
  const sheet = new Sheet({
    title: `${list.wording.title}: ${list.event}`,
    author: list.organization,
    subject: list.event,
    language: list.language,
    createdAt: list.createdAt,
  });
  new GuestPages(sheet, list).draw();
  return sheet.bytes();
}

class GuestPages {
  private y = PAGE.margin;

  constructor(
    private readonly sheet: Sheet,
    private readonly list: GuestListToDraw,
  ) {}

  draw(): void {
    const { guests, wording, event } = this.list;
    this.y +=
      this.sheet.text(`${wording.title}: ${event}`, TITLE, { ...this.line(), maxLines: 2 }, 'H1') + 10;
    if (this.list.order === 'name') {
      this.labels();
      for (const guest of guests) this.guest(guest);
      return;
    }
    for (const [table, seated] of tablesOf(guests)) {
      // The heading of a table must not be the last line of a page.
      this.room(3 * ROW);
      const heading = table === null ? wording.noTable : `${wording.table} ${table}`;
      this.y +=
        this.sheet.text(`${heading} (${seated.length})`, HEADING, { ...this.line(), maxLines: 1 }, 'H2') + 4;
      this.labels();
      for (const guest of seated) this.guest(guest);
      this.y += 14;
    }
  }

  private labels(): void {
    const { wording } = this.list;
    for (const column of Object.keys(COLUMNS) as Column[]) this.cell(wording[column], column, LABEL);
    this.y += 15;
    this.sheet.rule(LEFT, this.y - 2, CONTENT_WIDTH, LINE);
  }

  private guest(guest: PrintedGuest): void {
    if (this.room(ROW)) this.labels();
    this.sheet.box({ x: LEFT + 2, y: this.y + 3, width: BOX, height: BOX, radius: 2 }, { stroke: MUTED });
    for (const column of Object.keys(COLUMNS) as Column[])
      this.cell(guest[column] ?? '', column, column === 'name' || column === 'paddle' ? STRONG : CELL);
    this.y += ROW;
    this.sheet.rule(LEFT, this.y - 3, CONTENT_WIDTH, LINE);
  }

  private cell(text: string, column: Column, look: DrawnStyle): void {
    const { x, width } = COLUMNS[column];
    this.sheet.text(text, look, { x: LEFT + x, y: this.y, width, maxLines: 1 });
  }

  private line() {
    return { x: LEFT, y: this.y, width: CONTENT_WIDTH };
  }

  /** Starts a new page if the current page lacks this height. Returns true for a new page. */
  private room(height: number): boolean {
    if (this.y + height <= BOTTOM) return false;
    this.sheet.addPage();
    this.y = PAGE.margin;
    return true;
  }
}

/** Groups guests by table, with the tables in natural order. Guests without a table come last. */
function tablesOf(guests: readonly PrintedGuest[]): [string | null, PrintedGuest[]][] {
  const tables = new Map<string | null, PrintedGuest[]>();
  for (const guest of guests) tables.set(guest.table, [...(tables.get(guest.table) ?? []), guest]);
  return [...tables].sort(([one], [other]) =>
    one === null || other === null
      ? Number(one === null) - Number(other === null)
      : naturally.compare(one, other),
  );
}
