import { describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { type ReadTable, readTableFile, type TableFile } from './table-file.js';

async function read(bytes: Uint8Array, chosen: TableFile['chosen'] = {}) {
  return JSON.parse(Buffer.from(await readTableFile({ bytes, chosen })).toString('utf8')) as ReadTable;
}

async function cellsOf(bytes: Uint8Array, chosen: TableFile['chosen'] = {}) {
  const table = await read(bytes, chosen);
  return table.ok ? table.rows.map(({ cells }) => cells) : table.problem;
}

const csv = (text: string) => Buffer.from(text, 'utf8');

describe('a CSV file', () => {
  it.each([
    [',', 'name,table\nAda,1\n'],
    [';', 'name;table\r\nAda;1\r\n'],
    ['\t', 'name\ttable\rAda\t1'],
    ['|', 'name|table\nAda|1\n'],
  ])('is read with the delimiter %j', async (delimiter, text) => {
    const table = await read(csv(text));
    expect(table).toMatchObject({ ok: true, form: { encoding: 'utf-8', delimiter } });
    expect(await cellsOf(csv(text))).toEqual([
      ['name', 'table'],
      ['Ada', '1'],
    ]);
  });

  it('finds the delimiter although texts contain other delimiters', async () => {
    const text = 'name;note\n"Jones; Mary";"a,b,c"\nBob;"d,e,f"\n';
    expect(await cellsOf(csv(text))).toEqual([
      ['name', 'note'],
      ['Jones; Mary', 'a,b,c'],
      ['Bob', 'd,e,f'],
    ]);
  });

  it.each([
    ['utf-8', Buffer.from('\uFEFFname,table\nZoë,1\n', 'utf8')],
    ['utf-16le', Buffer.from('\uFEFFname,table\nZoë,1\n', 'utf16le')],
    ['windows-1252', Buffer.from('name,table\nZoë,1\n', 'latin1')],
  ])('is read in the encoding %s', async (encoding, bytes) => {
    expect(await read(bytes)).toMatchObject({ ok: true, form: { encoding } });
    expect((await cellsOf(bytes))[1]).toEqual(['Zoë', '1']);
  });

  it('is read with the encoding and the delimiter that the user chose', async () => {
    const bytes = Buffer.from([0x6e, 0x3b, 0x74, 0x0a, 0x5a, 0x6f, 0x91, 0x3b, 0x31]);
    expect((await cellsOf(bytes, { encoding: 'macintosh', delimiter: ';' }))[1]).toEqual(['Zoë', '1']);
    expect(await cellsOf(csv('a;b\nc;d'), { delimiter: ',' })).toEqual([['a;b'], ['c;d']]);
  });

  it('may mix line ends, contain empty rows, lines in quotes and rows of different lengths', async () => {
    const table = await read(csv('name,note\r\nAda,"two\nlines"\n\n,,\rBob\n"Eve",x,more'));
    expect(table.ok && table.rows).toEqual([
      { number: 1, cells: ['name', 'note'] },
      { number: 2, cells: ['Ada', 'two\nlines'] },
      { number: 5, cells: ['Bob'] },
      { number: 6, cells: ['Eve', 'x', 'more'] },
    ]);
  });

  it('loses direction marks and the apostrophe before a formula, and keeps a formula as a text', async () => {
    const text = "name,phone,note\n\u200FZoë\u202C,'+44 20,=1+1\n";
    expect((await cellsOf(csv(text)))[1]).toEqual(['Zoë', '+44 20', '=1+1']);
  });

  it('has cells of at most 2,000 characters', async () => {
    const [, row] = (await cellsOf(csv(`name,note\nAda,${'x'.repeat(60_000)}`))) as string[][];
    expect(row?.[1]).toHaveLength(2_000);
  });

  it.each([
    ['TABLE_EMPTY', csv('')],
    ['TABLE_EMPTY', csv('name,table\n')],
    ['TABLE_UNREADABLE', csv('name,note\nAda,"never ends')],
    ['TABLE_UNREADABLE', csv('%PDF-1.7')],
    ['TABLE_UNREADABLE', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
    ['TABLE_TOO_LARGE', csv(`name\n${'Ada\n'.repeat(20_001)}`)],
    ['TABLE_TOO_LARGE', csv(`${'a,'.repeat(100)}a\nAda`)],
  ])('is refused with %s', async (problem, bytes) => {
    expect(await read(bytes)).toEqual({ ok: false, problem });
  });

  it('may have 20,000 rows below the headings', async () => {
    const table = await read(csv(`name\n${'Ada\n'.repeat(20_000)}`));
    expect(table.ok && table.rows).toHaveLength(20_001);
  });
});

const workbook = (sheet: string, parts: Record<string, string> = {}) =>
  zipSync(
    Object.fromEntries(
      Object.entries({
        'xl/workbook.xml':
          '<workbook xmlns:r="r"><sheets><sheet name="Guests" r:id="rId7"/><sheet name="Other" r:id="rId8"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="rId8" Target="worksheets/other.xml"/><Relationship Id="rId7" Target="worksheets/guests.xml"/></Relationships>',
        'xl/worksheets/guests.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
        ...parts,
      }).map(([name, text]) => [name, strToU8(text)]),
    ),
  );

describe('a workbook', () => {
  it('gives the texts, numbers, flags and dates of its first sheet', async () => {
    const bytes = workbook(
      `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>phone</t></is></c></row>
       <row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4"><v>442079460018</v></c><c r="C4"><v>0.30000000000000004</v></c>
         <c r="D4" t="b"><v>1</v></c><c r="E4" s="1"><v>46347</v></c><c r="F4" s="2"><v>46347.75</v></c><c r="AA4"><v>7</v></c></row>`,
      {
        'xl/sharedStrings.xml':
          '<sst><si><t>name</t></si><si><r><t>Zo</t></r><r><t>ë &amp; Bob</t></r></si></sst>',
        'xl/styles.xml':
          '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm &quot;at&quot; hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      },
    );
    const table = await read(bytes);
    expect(table.ok && table.form).toBeNull();
    expect(table.ok && table.rows[0]).toEqual({ number: 1, cells: ['name', 'phone'] });
    const { number = 0, cells = [] } = table.ok ? (table.rows[1] ?? {}) : {};
    expect(number).toBe(4);
    expect(cells.slice(0, 6)).toEqual([
      ...['Zoë & Bob', '442079460018', '0.3', 'true', '2026-11-21', '2026-11-21T18:00'],
    ]);
    expect(cells[26]).toBe('7');
  });

  it('computes no formula: it gives the last value, or the formula as a text', async () => {
    const bytes = workbook(
      `<row><c><v>1</v></c></row>
       <row><c t="str"><f>A1&amp;"x"</f><v>Ada x</v></c><c><f>WEBSERVICE("http://127.0.0.1")</f></c></row>`,
    );
    expect((await cellsOf(bytes))[1]).toEqual(['Ada x', '=WEBSERVICE("http://127.0.0.1")']);
  });

  it('leaves out the pronunciation of Japanese names', async () => {
    const bytes = workbook(
      `<row><c t="s"><v>0</v></c></row><row><c t="inlineStr"><is><t>山田</t><rPh><t>やまだ</t></rPh></is></c></row>`,
      { 'xl/sharedStrings.xml': '<sst><si><t>氏名</t><rPh><t>しめい</t></rPh></si></sst>' },
    );
    expect(await cellsOf(bytes)).toEqual([['氏名'], ['山田']]);
  });

  it.each([
    ['TABLE_UNREADABLE', Buffer.from('PK\u0003\u0004 damaged')],
    ['TABLE_UNREADABLE', zipSync({ 'word/document.xml': strToU8('<w/>') })],
    ['TABLE_UNREADABLE', workbook('<row><c></row>')],
    ['TABLE_UNREADABLE', workbook('<row><c t="str"><v>&x;</v></c></row>').slice()],
    ['TABLE_TOO_LARGE', workbook('<row><c r="CW1"><v>1</v></c></row>')],
    ['TABLE_TOO_LARGE', workbook(' '.repeat(65 * 1024 * 1024))],
    ['TABLE_EMPTY', workbook('<row><c><v>1</v></c></row>')],
  ])('is refused with %s', async (problem, bytes) => {
    expect(await read(bytes)).toEqual({ ok: false, problem });
  });
});
