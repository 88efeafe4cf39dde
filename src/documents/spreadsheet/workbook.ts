import { Readable } from 'node:stream';
import { type ZipEntry, zipOf } from '../zip/zip.js';
import { cellXml, columnLetters, type ColumnKind, STYLE, textXml } from './cells.js';
import {
  contentTypes,
  ROOT_RELATIONS,
  sheetEnd,
  sheetStart,
  STYLES,
  workbook,
  workbookRelations,
} from './workbook-parts.js';

/** Maximum rows of a sheet in Excel, including the heading row. */
export const MAX_ROWS = 1_048_576;
/** Length of the XML that is compressed in one step. */
const PIECE = 64 * 1024;

export interface SheetColumn {
  readonly heading: string;
  readonly kind: ColumnKind;
  /** Width in characters. */
  readonly width: number;
}

export interface WorkbookLook {
  /** Name of the sheets: plain letters, at most 25 characters. */
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  readonly isRightToLeft: boolean;
  readonly createdAt: Date;
}

/** Values in the order of the columns. Numbers, days and times are decimal digits. */
export type SheetRow = readonly (string | null)[];

/**
 * Streams an XLSX workbook. For any number of rows, this needs only the memory of a few pieces, because each
 * text is stored in its cell and each sheet is compressed while its rows arrive. If there are more rows than
 * Excel allows, they continue on another sheet with the same headings.
 */
export async function* workbookOf(
  look: WorkbookLook,
  rows: AsyncIterable<SheetRow>,
  maxRows = MAX_ROWS,
): AsyncGenerator<Buffer, void, undefined> {
  yield* zipOf(parts(look, rows[Symbol.asyncIterator](), maxRows));
}

async function* parts(
  look: WorkbookLook,
  rows: AsyncIterator<SheetRow>,
  maxRows: number,
): AsyncGenerator<ZipEntry, void, undefined> {
  const part = (name: string, content: string | Readable): ZipEntry => ({
    name,
    date: look.createdAt,
    content: typeof content === 'string' ? Buffer.from(content) : content,
  });
  try {
    let sheets = 0;
    for (let next = await rows.next(); sheets === 0 || !next.done;) {
      sheets++;
      const sheet = sheetXml(look, next, rows, maxRows, (following) => (next = following));
      yield part(`xl/worksheets/sheet${sheets}.xml`, Readable.from(sheet, { objectMode: false }));
    }
    yield part('xl/styles.xml', STYLES);
    yield part('xl/workbook.xml', workbook(look.name, sheets));
    yield part('xl/_rels/workbook.xml.rels', workbookRelations(sheets));
    yield part('_rels/.rels', ROOT_RELATIONS);
    yield part('[Content_Types].xml', contentTypes(sheets));
  } finally {
    await rows.return?.();
  }
}

/** @param end called with the first row of the next sheet */
async function* sheetXml(
  { columns, isRightToLeft }: WorkbookLook,
  first: IteratorResult<SheetRow>,
  rows: AsyncIterator<SheetRow>,
  maxRows: number,
  end: (next: IteratorResult<SheetRow>) => void,
): AsyncGenerator<string, void, undefined> {
  const letters = columns.map((_, index) => columnLetters(index));
  const widths = columns.map(({ width }) => width);
  const headings = columns.map(({ heading }, index) => textXml(`${letters[index]}1`, heading, STYLE.heading));
  let xml = `${sheetStart(widths, isRightToLeft)}<row r="1">${headings.join('')}</row>`;
  let count = 1;
  let next = first;
  for (; !next.done && count < maxRows; next = await rows.next()) {
    count++;
    xml += `<row r="${count}">`;
    for (const [index, { kind }] of columns.entries())
      xml += cellXml(`${letters[index]}${count}`, kind, next.value[index] ?? null);
    xml += '</row>';
    if (xml.length < PIECE) continue;
    yield xml;
    xml = '';
  }
  end(next);
  yield xml + sheetEnd(`A1:${letters.at(-1)}${count}`);
}
