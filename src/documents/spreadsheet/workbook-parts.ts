// The fixed parts of a workbook (ECMA-376, Office Open XML). The elements have the order of the standard's
// schemas, because Excel refuses any other order.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/**
 * The cell formats, in the order of `STYLE`. Spreadsheets show the built-in formats 14 (date), 20 (time), 3
 * and 4 (numbers) in the form of the reader's country.
 */
export const STYLES =
  `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.000"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="8">' +
  [
    'numFmtId="0" fontId="0"',
    'numFmtId="0" fontId="1" applyFont="1"',
    ...[14, 20, 3, 4, 164].map((format) => `numFmtId="${format}" fontId="0" applyNumberFormat="1"`),
    // The text stays a text when a person edits the cell.
    'numFmtId="0" fontId="0" quotePrefix="1"',
  ]
    .map((attributes) => `<xf ${attributes} fillId="0" borderId="0" xfId="0"/>`)
    .join('') +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

export const ROOT_RELATIONS =
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">` +
  `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

export const contentTypes = (sheets: number): string =>
  `${HEAD}<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>` +
  numbers(sheets)
    .map(
      (number) =>
        `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${CONTENT}.worksheet+xml"/>`,
    )
    .join('') +
  '</Types>';

export const workbookRelations = (sheets: number): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">` +
  numbers(sheets)
    .map(
      (number) =>
        `<Relationship Id="rId${number}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
    )
    .join('') +
  `<Relationship Id="rId${sheets + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;

/** @param name plain letters, at most 25 characters; each further sheet has a number after the name */
export const workbook = (name: string, sheets: number): string =>
  `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
  numbers(sheets)
    .map(
      (number) =>
        `<sheet name="${number === 1 ? name : `${name} ${number}`}" sheetId="${number}" r:id="rId${number}"/>`,
    )
    .join('') +
  '</sheets></workbook>';

/** Returns the start of a sheet whose heading row stays visible. */
export const sheetStart = (widths: readonly number[], isRightToLeft: boolean): string =>
  `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView ${isRightToLeft ? 'rightToLeft="1" ' : ''}workbookViewId="0">` +
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
  '<sheetFormatPr defaultRowHeight="15"/><cols>' +
  widths
    .map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`)
    .join('') +
  '</cols><sheetData>';

/** @param range all cells of the sheet including the heading row, such as `A1:C9` */
export const sheetEnd = (range: string): string => `</sheetData><autoFilter ref="${range}"/></worksheet>`;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
