/**
 * Maximum length of a text in a cell of Excel, in UTF-16 units. Excel reports a file with a longer text as
 * damaged.
 */
export const MAX_TEXT = 32_767;

/** Indexes of the cell formats in `styles.xml`; see `workbook-parts.ts`. */
export const STYLE = {
  plain: 0,
  heading: 1,
  day: 2,
  time: 3,
  whole: 4,
  cents: 5,
  mills: 6,
  quoted: 7,
} as const;

/**
 * Content of a column. A `text` is never read as a number or a formula. A `number` is an exact decimal
 * number. Its cell shows as many decimals as the number has, because each row can have another currency. A
 * `day` is the number of days since 30 December 1899, and a `time` is a fraction of a day. Spreadsheets show
 * both in the form of the reader's country.
 */
export type ColumnKind = 'text' | 'number' | 'day' | 'time';

/** Characters at the start of a text that would turn the text into a formula when a person edits the cell. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Characters that XML cannot contain, and the form in which OOXML writes them as text. */
// eslint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000D\u000E-\u001F\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Returns the XML of a cell; an empty text for null. A text stays a text, even if it looks like a formula.
 */
export function cellXml(reference: string, kind: ColumnKind, value: string | null): string {
  if (value === null) return '';
  if (kind === 'text') return textXml(reference, value, FORMULA.test(value) ? STYLE.quoted : STYLE.plain);
  const style = kind === 'number' ? numberStyle(value) : STYLE[kind];
  return `<c r="${reference}" s="${style}"><v>${value}</v></c>`;
}

/** Stores each text in its cell, because a table of shared texts would grow in memory. */
export const textXml = (reference: string, text: string, style: number): string =>
  `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

function numberStyle(digits: string): number {
  const point = digits.indexOf('.');
  const decimals = point < 0 ? 0 : digits.length - point - 1;
  return decimals === 0 ? STYLE.whole : decimals === 3 ? STYLE.mills : STYLE.cents;
}

function escaped(text: string): string {
  return fitting(text.replace(/\r\n?/g, '\n').toWellFormed())
    .replace(/[&<>]/g, (character) => MARKUP[character] ?? '')
    .replace(
      NOT_XML,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}

/** Shortens a text that is too long for a cell. Does not cut between the two units of one character. */
function fitting(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns the letters of a column: 0 gives `A`, 26 gives `AA`. */
export function columnLetters(index: number): string {
  const before = Math.floor(index / 26);
  return (before === 0 ? '' : columnLetters(before - 1)) + String.fromCharCode(65 + (index % 26));
}
