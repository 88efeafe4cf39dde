import { expect, it } from '@jest/globals';
import { onFile, pdfText } from '../../../test/export/tools.js';
import { describeWithTool } from '../../../test/support/tools.js';
import { Sheet } from './sheet.js';

const STYLE = { size: 18, weight: 'regular', color: '#0b5d5e' } as const;
const BOLD = { size: 25, weight: 'bold', color: '#1c2b33' } as const;
const TEXTS = [
  'AVAWAT To office fluffy',
  'José Ñuñez-Überfluß',
  'محمد علي Smith (12)',
  '山田 太郎',
  'देवनागरी नाम',
  'Z̶a̴l̸go',
];
const FACTS = {
  title: 'A (title) \\ \r',
  author: 'Ада',
  subject: '',
  language: 'en',
  createdAt: new Date(0),
};
const BOX = { x: 50, y: 500, width: 300, height: 80, radius: 8 };

function sheet(): Buffer {
  const drawn = new Sheet(FACTS);
  TEXTS.forEach((text, index) => drawn.text(text, STYLE, { x: 50, y: 50 + index * 60, width: 400 }));
  drawn.text('Right', BOLD, { x: 50, y: 440, width: 400, align: 'right' });
  drawn.box(BOX, { fill: '#eef5f4' });
  drawn.box({ ...BOX, y: 600, radius: 0 }, { stroke: '#a4161a' });
  drawn.rule(50, 700, 400, '#5b6b73', 2);
  drawn.stamp('VOID');
  return drawn.bytes();
}

/** Returns the pixels of a page, one byte for each pixel. */
async function pixels(pdf: Buffer): Promise<Buffer> {
  const picture = Buffer.from(await onFile('pdftoppm', ['-r', '72', '-gray', '{}'], pdf, 'latin1'), 'latin1');
  return picture.subarray(picture.indexOf('255\n') + 4);
}

describeWithTool('pdftotext', 'Sheet', () => {
  it('keeps a letter readable when another document used it only inside a composed letter', async () => {
    const one = (text: string) => {
      const drawn = new Sheet(FACTS);
      drawn.text(text, STYLE, { x: 50, y: 50, width: 400 });
      return drawn.bytes();
    };
    expect(await pdfText(one('\u01fc'))).toContain('\u01fc');
    const alone = one('\u00c6 after');
    expect(await pdfText(alone)).toContain('\u00c6 after');
    expect(await pdfText(one('\u01fc\u00c6'))).toContain('\u01fc\u00c6');
    // The font draws each of these letters as a base letter and a dot.
    expect((await pdfText(one('\u1ee4\u1eca'))).normalize('NFC')).toContain('\u1ee4\u1eca');
    expect(await pdfText(one('UI UI'))).toContain('UI UI');
  });
});

describeWithTool('pdftoppm', 'Sheet', () => {
  it('draws the same page after other documents used many letters of its fonts', async () => {
    const first = await pixels(sheet());
    const other = new Sheet(FACTS);
    for (let code = 0x21; code < 0x17f; code++)
      other.text(String.fromCharCode(code), STYLE, { x: 50, y: code * 2, width: 100 });
    other.bytes();
    expect((await pixels(sheet())).equals(first)).toBe(true);
  });
});
