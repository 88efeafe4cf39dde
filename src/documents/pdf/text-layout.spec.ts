import { describe, expect, it } from '@jest/globals';
import { layOutText } from './text-layout.js';

const STYLE = { size: 10, weight: 'regular' } as const;
const texts = (text: string, width: number, maxLines?: number) =>
  layOutText(text, STYLE, width, maxLines).map(({ runs }) => runs.map((run) => run.text).join('|'));
const fonts = (text: string) =>
  layOutText(text, STYLE, 1000).flatMap(({ runs }) => runs.map(({ typeface }) => typeface.file));

describe('layOutText() line breaks', () => {
  it('keep lines within the width by breaking between words', () => {
    const lines = layOutText('The quick brown fox (and friends) jumps over the lazy dog.', STYLE, 90);
    expect(lines.length).toBeGreaterThan(2);
    for (const { width } of lines) expect(width).toBeLessThanOrEqual(90);
  });

  it('keep punctuation with its word', () => {
    for (const line of texts('“Hello”, she said (twice): wait … now! '.repeat(6), 70)) {
      expect(line).not.toMatch(/^[,.:!…)”]/);
      expect(line).not.toMatch(/[(“]$/);
    }
  });

  it('never split an amount', () => {
    const lines = texts('aaaaaaaaaaaaaaa 1\u00A0234\u00A0567,00\u00A0€', 90);
    expect(lines).toEqual(['aaaaaaaaaaaaaaa', '1\u00A0234\u00A0567,00\u00A0€']);
  });

  it('cut a word that is too long', () => {
    const lines = texts('x'.repeat(100), 100);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.join('')).toBe('x'.repeat(100));
  });

  it('follow every kind of line feed', () => {
    expect(texts('a\nb\r\nc\rd\u2028e', 100)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('separate Thai words', () => {
    const lines = texts('สวัสดีครับยินดีต้อนรับ', 60);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join('')).toBe('สวัสดีครับยินดีต้อนรับ');
  });

  it('end the text in an ellipsis after too many lines', () => {
    const lines = texts('one two three four five six seven eight nine ten', 60, 2);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/…$/);
  });
});

describe('layOutText()', () => {
  it('returns Arabic digits in their reading order, from left to right', () => {
    const [line] = layOutText('\u200f١٢٣٫٤٥ €', STYLE, 1000);
    const drawn = line?.runs.flatMap(({ typeface, text }) =>
      typeface.shaped(text).glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)),
    );
    expect(drawn?.join('').trim()).toBe('€ ١٢٣٫٤٥');
  });

  it('use a font that contains the script', () => {
    expect(fonts('Anna')).toEqual(['NotoSans-Regular.ttf']);
    expect(fonts('山田')).toEqual(['NotoSansCJKsc-Regular.otf']);
    expect(fonts('สมชาย')).toEqual(['NotoSansThai-Regular.ttf']);
    expect(fonts('👍🏽')).toEqual(['NotoEmoji-Regular.ttf']);
    expect(fonts('Anna 山田 Müller')).toEqual([
      'NotoSans-Regular.ttf',
      'NotoSansCJKsc-Regular.otf',
      'NotoSans-Regular.ttf',
    ]);
  });

  it('keep words of one script together, so that they are shaped together', () => {
    expect(fonts('محمد عبد الله')).toEqual(['NotoSansArabic-Regular.ttf']);
  });

  it('follow the visual order, with brackets mirrored', () => {
    expect(texts('דוד (David) 12', 1000)).toEqual(['12| (|David|)|דוד ']);
  });

  it('show a replacement for a missing character and nothing for an invisible one', () => {
    expect(texts('a\u{12000}b', 1000)).toEqual(['a\uFFFDb']);
    expect(texts('a\u200Bb\u00ADc\uFE0Fd', 1000).join('')).not.toContain('\u00AD');
  });
});
