import { type Archive, readXml, unpack } from './xlsx-archive.js';
import { MOST_COLUMNS, RowCollector, TableError, type TableRow } from './table.js';

/**
 * Reads the first sheet of an XLSX workbook. The text of a cell with a formula is the last computed value,
 * because this code computes no formulas.
 * @throws TableError
 */
export async function readXlsx(bytes: Uint8Array): Promise<TableRow[]> {
  const parts = await unpack(bytes);
  const sheet = parts.get(firstSheet(parts));
  if (!sheet) throw new TableError('TABLE_UNREADABLE');
  const [strings, dateStyles, startsIn1904] = [sharedStrings(parts), stylesOfDates(parts), uses1904(parts)];
  const collector = new RowCollector();
  let number = 0;
  let cells: string[] = [];
  let column = 0;
  let cell: { type: string; style: number; value: string; formula: string } | undefined;
  let reading: 'value' | 'formula' | undefined;
  // True inside the pronunciation of Japanese characters, which is not a part of the text.
  let isPhonetic = false;

  readXml(sheet, {
    open: (name, { r = '', t = 'n', s = '0' }) => {
      if (name === 'row') {
        number = r === '' ? number + 1 : Number(r);
        cells = [];
        column = 0;
      } else if (name === 'c') {
        column = r === '' ? column + 1 : columnOf(r);
        cell = { type: t, style: Number(s), value: '', formula: '' };
      } else if (name === 'v' || name === 't') reading = 'value';
      else if (name === 'f') reading = 'formula';
      else if (name === 'rPh') isPhonetic = true;
    },
    text: (text) => {
      if (cell && reading && !isPhonetic) cell[reading] += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't' || name === 'f') reading = undefined;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'c' && cell) {
        if (column > MOST_COLUMNS) throw new TableError('TABLE_TOO_LARGE');
        while (cells.length < column - 1) cells.push('');
        cells[column - 1] = textOf(cell);
        cell = undefined;
      } else if (name === 'row') collector.add(number, cells);
    },
  });
  return collector.rows;

  function textOf({ type, style, value, formula }: NonNullable<typeof cell>): string {
    if (value === '' && formula !== '') return `=${formula}`;
    if (type === 's') return strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'true' : 'false';
    if (type !== 'n' || value === '') return value;
    const amount = Number(value);
    if (Number.isNaN(amount)) return value;
    return dateStyles.has(style) ? dateOf(amount, startsIn1904) : numberText(amount);
  }
}

/** Returns the path of the first sheet in the order of the workbook. */
function firstSheet(parts: Archive): string {
  let id: string | undefined;
  readXml(parts.get('xl/workbook.xml'), {
    open: (name, attributes) => {
      if (name === 'sheet') id ??= attributes['r:id'];
    },
  });
  let target = 'worksheets/sheet1.xml';
  readXml(parts.get('xl/_rels/workbook.xml.rels'), {
    open: (name, { Id, Target }) => {
      if (name === 'Relationship' && Id === id && Target) target = Target;
    },
  });
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function sharedStrings(parts: Archive): string[] {
  const strings: string[] = [];
  let isText = false;
  let isPhonetic = false;
  readXml(parts.get('xl/sharedStrings.xml'), {
    open: (name) => {
      if (name === 'si') strings.push('');
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    text: (text) => {
      if (isText) strings.push((strings.pop() ?? '') + text);
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
    },
  });
  return strings;
}

/** The built-in number formats of dates and times. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

/** Returns the indexes of the cell styles that show a number as a date. */
function stylesOfDates(parts: Archive): Set<number> {
  const dates = new Set(DATE_FORMATS);
  const styles = new Set<number>();
  let index = -1;
  readXml(parts.get('xl/styles.xml'), {
    open: (name, { numFmtId = '0', formatCode = '' }) => {
      if (name === 'numFmt' && isDateFormat(formatCode)) dates.add(Number(numFmtId));
      else if (name === 'cellXfs') index = 0;
      else if (name === 'xf' && index >= 0) {
        if (dates.has(Number(numFmtId))) styles.add(index);
        index++;
      }
    },
    close: (name) => {
      if (name === 'cellXfs') index = -1;
    },
  });
  return styles;
}

/** True for a format with a year, month, day, hour or second outside of quoted text. */
const isDateFormat = (code: string): boolean => /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''));

function uses1904(parts: Archive): boolean {
  let found = false;
  readXml(parts.get('xl/workbook.xml'), {
    open: (name, { date1904 }) => {
      if (name === 'workbookPr') found = date1904 === '1' || date1904 === 'true';
    },
  });
  return found;
}

const DAY_MS = 86_400_000;
/**
 * Day 0 of the two calendars. The calendar from 1900 contains 29 February 1900, which did not exist, so its
 * day 0 is one day earlier.
 */
const EPOCHS = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) } as const;

/** Returns the date of a serial number, with the time if it has one: `2026-11-21` or `2026-11-21T18:30`. */
function dateOf(serial: number, startsIn1904: boolean): string {
  const date = new Date((startsIn1904 ? EPOCHS.from1904 : EPOCHS.from1900) + Math.round(serial * DAY_MS));
  if (Number.isNaN(date.getTime())) return String(serial);
  return Number.isInteger(serial) ? date.toISOString().slice(0, 10) : date.toISOString().slice(0, 16);
}

/**
 * Returns a number as text. A long number, such as a telephone number, has no exponent, and 0.1 + 0.2 is 0.3,
 * as in the spreadsheet.
 */
const numberText = (amount: number): string =>
  Number.isSafeInteger(amount) ? String(amount) : String(Number(amount.toPrecision(15)));

/** Returns the position of a column, starting at 1: `C7` is in column 3. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]+/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
