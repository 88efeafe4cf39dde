import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Sheet } from './sheet.js';
import { layOutText } from './text-layout.js';
import { setGrapheme, SHIPPED_SCRIPTS } from './typefaces.js';

const STYLE = { size: 10, weight: 'regular', color: '#000000' } as const;
/** All scripts that the typefaces support, including the base typefaces and the typeface for Chinese, Japanese and Korean. */
const SCRIPTS = [
  ...SHIPPED_SCRIPTS,
  ...['Latin', 'Greek', 'Cyrillic', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'],
];
const LAST_OF_SCRIPTS = 0x1ffff;

/** Letters and marks of a script. */
function charactersOf(script: string): { letters: string[]; marks: string[] } {
  const inScript = new RegExp(`\\p{Script_Extensions=${script}}`, 'u');
  const letters: string[] = [];
  const marks: string[] = [];
  for (let code = 0x20; code <= LAST_OF_SCRIPTS; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (!inScript.test(character)) continue;
    if (/\p{M}/u.test(character)) marks.push(character);
    else if (/\p{L}/u.test(character)) letters.push(character);
  }
  return { letters, marks };
}

/** Generates realistic and unrealistic names: letters with any marks in any order. */
function namesOf(script: string): fc.Arbitrary<string> {
  const { letters, marks } = charactersOf(script);
  const letter = fc.constantFrom(...letters);
  const mark = marks.length === 0 ? fc.constant('') : fc.constantFrom(...marks, '\u200d', '\u200c');
  const part = fc.oneof(
    { weight: 6, arbitrary: letter },
    { weight: 4, arbitrary: mark },
    { weight: 1, arbitrary: fc.constantFrom(' ', '-', '(', ')', 'A') },
  );
  return fc.array(part, { minLength: 1, maxLength: 14 }).map((parts) => parts.join('').normalize('NFC'));
}

describe('a name in a supported script', () => {
  it('has a font: each file in assets/fonts is listed for its script or for all scripts', () => {
    const forAll = /^Noto(Sans-|SansCJK|Emoji|SansSymbols|SansMath)/;
    const files = readdirSync(new URL('../../../assets/fonts/', import.meta.url));
    // A bold file belongs to the script of its regular file.
    const ofScripts = files.filter(
      (file) => /\.(ttf|otf)$/.test(file) && !forAll.test(file) && !file.includes('-Bold.'),
    );
    expect(ofScripts.length).toBe(SHIPPED_SCRIPTS.length);
  });

  it.each(SCRIPTS)('lays out and measures a name in any letters: %s', (script) => {
    fc.assert(
      fc.property(namesOf(script), (name) => {
        for (const { width, runs } of layOutText(name, STYLE, 400)) {
          expect(Number.isFinite(width)).toBe(true);
          for (const { typeface, text } of runs)
            expect(typeface.shaped(text).glyphs.length).toBe(typeface.shaped(text).positions.length);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('draws a name of each script on a sheet', () => {
    const sheet = new Sheet({
      title: 'Names',
      author: 'Test',
      subject: 'Names',
      language: 'en',
      createdAt: new Date(),
    });
    for (const script of SCRIPTS) {
      sheet.addPage();
      for (const [index, name] of fc.sample(namesOf(script), 20).entries())
        sheet.text(name, STYLE, { x: 50, y: 50 + index * 30, width: 400 });
    }
    const pdf = sheet.bytes();
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.subarray(-6).toString()).toContain('%%EOF');
  });

  it('keeps a letter if its marks cannot be placed', () => {
    const [line] = layOutText('Moshe א\u05c1', STYLE, 400);
    expect(line?.runs.map(({ text }) => text).join('')).toContain('א');
    expect(line?.width).toBeGreaterThan(setGrapheme('א', 'regular').typeface.width('א', STYLE.size));
  });
});
