import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fontkit from 'fontkit';

const FOLDER = 'assets/fonts';
const fonts = readdirSync(FOLDER).filter((name) => /\.(ttf|otf|woff2?|ttc)$/i.test(name));
const notice = readFileSync(`${FOLDER}/NOTICE`, 'utf8').split('\n');

const copyrightOf = (file: string) => {
  const font = fontkit.openSync(`${FOLDER}/${file}`);
  return 'copyright' in font ? font.copyright : 'nobody';
};

describe('the font licences', () => {
  it('the font licences name the copyright holder of every font in the words of the file', () => {
    expect(fonts.length).toBeGreaterThan(30);
    const lines = fonts.map((file) =>
      notice.find((line) => line.startsWith(`${file}: ${copyrightOf(file)}`)),
    );
    expect(fonts.filter((_, index) => lines[index] === undefined)).toEqual([]);
  });

  it('the font licences name no missing file', () => {
    const named = notice.flatMap((line) => /^(\S+\.(?:ttf|otf)): /.exec(line)?.[1] ?? []);
    expect(named.sort()).toEqual([...fonts].sort());
  });

  it('the font licences name the copyright holder of the colour emoji in the words of their files', () => {
    const files = readdirSync('web/fonts').filter((name) => name.startsWith('colour-emoji-'));
    expect(files.length).toBe(9);
    const line = notice.find((text) => text.startsWith('colour-emoji-*.woff2: '));
    const holders = files.map((file) => {
      const font = fontkit.openSync(`web/fonts/${file}`);
      return 'copyright' in font ? font.copyright : 'nobody';
    });
    expect(new Set(holders)).toEqual(new Set([line?.split(': ')[1]]));
  });

  it('the font licences name the reserved font name of the Adobe font', () => {
    const line = notice.find((text) => text.startsWith('NotoSansCJKsc-Regular.otf: '));
    expect(line).toContain('Adobe');
    expect(line).toContain("Reserved Font Name: 'Source'");
  });

  it('the font licences contain the complete licence text', () => {
    const text = readFileSync(`${FOLDER}/OFL.txt`, 'utf8');
    for (const part of [
      'Version 1.1 - 26 February 2007',
      'PERMISSION & CONDITIONS',
      'TERMINATION',
      'DISCLAIMER',
    ])
      expect(text).toContain(part);
  });
});
