import { zipOf, type ZipEntry } from '../zip/zip.js';

/** Writes small OpenDocument spreadsheets (OpenDocument 1.2). Equal contents give equal bytes, so a digest can prove them. */

/** A text, an exact number with two decimals, or nothing. A text is never read as a number or a formula. */
export type OdsCell = string | { readonly number: string } | null;

interface OdsSheet {
  readonly name: string;
  /** Widths of the columns in millimetres. */
  readonly widths: readonly number[];
  readonly rows: readonly (readonly OdsCell[])[];
  /** Date of the files in the package. */
  readonly createdAt: Date;
}

const TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMES = (
  [
    ['office', 'office'],
    ['table', 'table'],
    ['text', 'text'],
    ['style', 'style'],
    ['number', 'datastyle'],
    ['fo', 'xsl-fo-compatible'],
  ] as const
)
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ');

const MANIFEST =
  `${HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">` +
  `<manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="${TYPE}"/>` +
  '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>';

/**
 * Returns the bytes of a spreadsheet with one sheet. No file in it is compressed, because another release of zlib would give
 * other bytes.
 */
export async function odsOf(sheet: OdsSheet): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zipOf(parts(sheet))) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* parts(sheet: OdsSheet): AsyncGenerator<ZipEntry, void, undefined> {
  const part = (name: string, text: string): ZipEntry => ({
    name,
    date: sheet.createdAt,
    content: Buffer.from(text),
  });
  // The type must be the first file, so that programs recognize the package by its first bytes.
  yield await Promise.resolve(part('mimetype', TYPE));
  yield part('META-INF/manifest.xml', MANIFEST);
  yield part('content.xml', contentXml(sheet));
}

function contentXml({ name, widths, rows }: OdsSheet): string {
  const styles = widths
    .map(
      (width, index) =>
        `<style:style style:name="c${index}" style:family="table-column">` +
        `<style:table-column-properties style:column-width="${width}mm"/></style:style>`,
    )
    .join('');
  const columns = widths.map((_, index) => `<table:table-column table:style-name="c${index}"/>`).join('');
  return (
    `${HEAD}<office:document-content ${NAMES} office:version="1.2"><office:automatic-styles>${styles}` +
    '<number:number-style style:name="n2"><number:number number:decimal-places="2" number:min-integer-digits="1"/></number:number-style>' +
    '<style:style style:name="money" style:family="table-cell" style:data-style-name="n2"/></office:automatic-styles>' +
    `<office:body><office:spreadsheet><table:table table:name="${escaped(name)}">${columns}` +
    rows.map((cells) => `<table:table-row>${rowXml(cells, widths.length)}</table:table-row>`).join('') +
    '</table:table></office:spreadsheet></office:body></office:document-content>'
  );
}

/** Each column has its own cell, because some readers count the elements and not the repetitions. */
const rowXml = (cells: readonly OdsCell[], columns: number): string =>
  Array.from({ length: columns }, (_, index) => cellXml(cells[index] ?? null)).join('');

function cellXml(cell: OdsCell): string {
  if (cell === null || cell === '') return '<table:table-cell/>';
  if (typeof cell === 'string')
    return `<table:table-cell office:value-type="string"><text:p>${escaped(cell)}</text:p></table:table-cell>`;
  const { number } = cell;
  return `<table:table-cell table:style-name="money" office:value-type="float" office:value="${number}"><text:p>${number}</text:p></table:table-cell>`;
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML cannot contain. */
// eslint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, '')
    .replace(/[&<>"]/g, (character) => MARKUP[character] ?? '');
