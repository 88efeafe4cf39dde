import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { cellXml, columnLetters, MAX_TEXT } from './cells.js';
import { type SheetRow, workbookOf, type WorkbookLook } from './workbook.js';

const LOOK: WorkbookLook = {
  name: 'Donations',
  columns: [
    { heading: 'Date', kind: 'day', width: 12 },
    { heading: 'Donor & co', kind: 'text', width: 20 },
    { heading: 'Amount', kind: 'number', width: 12 },
  ],
  isRightToLeft: false,
  createdAt: new Date('2026-11-21T12:00:00Z'),
};

async function* given(rows: readonly SheetRow[]) {
  for (const row of rows) yield await Promise.resolve(row);
}

async function partsOf(look: WorkbookLook, rows: readonly SheetRow[], maxRows?: number) {
  const pieces: Buffer[] = [];
  for await (const piece of workbookOf(look, given(rows), maxRows)) pieces.push(Buffer.from(piece));
  const files = unzipSync(Buffer.concat(pieces));
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]));
}

const SHEET = 'xl/worksheets/sheet1.xml';
const rowsIn = (xml = '') => [...xml.matchAll(/<row r="(\d+)">/g)].map(([, number]) => Number(number));
const textIn = (value: string): string | undefined =>
  /<t xml:space="preserve">([\s\S]*)<\/t>/.exec(cellXml('A1', 'text', value))?.[1];

describe('a workbook', () => {
  it('stores days and amounts as numbers with the format of the reader’s country', async () => {
    const xml = (await partsOf(LOOK, [['46320', 'Ada', '1234.50']]))[SHEET];
    expect(xml).toContain('<c r="A2" s="2"><v>46320</v></c>');
    expect(xml).toContain('<c r="C2" s="5"><v>1234.50</v></c>');
  });

  it('shows as many decimals as the currency of the row has', () => {
    const styles = ['5000', '50.00', '1.250'].map(
      (digits) => /s="(\d)"/.exec(cellXml('A1', 'number', digits))?.[1],
    );
    expect(styles).toEqual(['4', '5', '6']);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1'])('keeps %j a text, also after an edit', (text) => {
    const xml = cellXml('B2', 'text', text);
    expect(xml).toContain('t="inlineStr"');
    expect(xml).toContain('s="7"');
    expect(xml).not.toContain('<f>');
  });

  it('repeats the headings on a further sheet when one is full', async () => {
    const parts = await partsOf(
      LOOK,
      Array.from({ length: 5 }, (_, index) => [null, `Donor ${index}`, null]),
      3,
    );
    expect([1, 2, 3, 4].map((number) => rowsIn(parts[`xl/worksheets/sheet${number}.xml`]).length)).toEqual([
      3, 3, 2, 0,
    ]);
    expect(parts['xl/worksheets/sheet3.xml']).toContain('Donor &amp; co');
    expect(parts['xl/worksheets/sheet3.xml']).toContain('Donor 4');
    expect(parts['xl/workbook.xml']).toContain('<sheet name="Donations 3" sheetId="3" r:id="rId3"/>');
    expect(parts['[Content_Types].xml']).toContain('/xl/worksheets/sheet3.xml');
  });

  it('without rows is one sheet with the headings', async () => {
    const parts = await partsOf(LOOK, []);
    expect(rowsIn(parts[SHEET])).toEqual([1]);
    expect(Object.keys(parts).filter((name) => name.includes('worksheets/'))).toEqual([SHEET]);
  });

  it('a workbook in Arabic is laid out from right to left', async () => {
    expect((await partsOf({ ...LOOK, isRightToLeft: true }, []))[SHEET]).toContain('rightToLeft="1"');
  });

  it('shortens a text that is too long for a cell and cuts no emoji in two', () => {
    expect(textIn('a'.repeat(MAX_TEXT))).toHaveLength(MAX_TEXT);
    expect(textIn('a'.repeat(MAX_TEXT + 1))).toBe(`${'a'.repeat(MAX_TEXT - 1)}…`);
    expect(textIn(`${'a'.repeat(MAX_TEXT - 2)}🎉🎉`)).toBe(`${'a'.repeat(MAX_TEXT - 2)}…`);
  });

  it('escapes markup, control characters and texts that look like escapes', () => {
    expect(textIn('<a> & b\r\nc')).toBe('&lt;a&gt; &amp; b\nc');
    expect(textIn('bell\u0007')).toBe('bell_x0007_');
    expect(textIn('_x0041_')).toBe('_x005F_x0041_');
  });

  it('names columns as spreadsheets do', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnLetters)).toEqual([
      'A',
      'Z',
      'AA',
      'AZ',
      'BA',
      'ZZ',
      'AAA',
    ]);
  });
});
