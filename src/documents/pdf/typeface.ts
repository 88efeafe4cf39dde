import { readFileSync } from 'node:fs';
import { create, type Font, type Glyph, type GlyphPosition, type GlyphRun } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { ROOT_FOLDER } from '../../common/root-folder.js';

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Whether a text holds letters that are read from right to left. */
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

const FOLDER = new URL('assets/fonts/', ROOT_FOLDER);
/** Shaped texts that one typeface remembers: every label, and what the receipts just drawn had in common. */
const REMEMBERED = 500;
/** Pairs of letters that one typeface remembers: more than a language has, fewer than somebody can make up. */
const REMEMBERED_PAIRS = 20_000;
const NO_CHARACTER = [0xfffd];
/** Letters that stand beside each other without any rule but the distance of two: Western ones, and the signs of prices. */
const PLAIN = /^[ -~\u00A0-\u00AC\u00AE-\u017F\u2010-\u201F\u2026\u202F\u20AC]+$/;

/**
 * One font file, opened at its first use and parsed once for all documents; shaped runs are remembered, because nearly
 * all words of a receipt are on the receipt before it too.
 */
export class Typeface {
  private parsed: Font | undefined;
  private drawn: Font | undefined;
  private readonly runs = new LRUCache<string, GlyphRun>({ max: REMEMBERED });
  /** By the numbers of both letters, each below 0x4000. */
  private readonly pairs = new Map<number, number | undefined>();

  constructor(readonly file: string) {}

  /** The parsed file. */
  get font(): Font {
    if (!this.parsed) {
      const font = create(readFileSync(new URL(this.file, FOLDER)));
      if (!('layout' in font)) throw new Error(`${this.file} is a collection, not a font`);
      this.parsed = font;
    }
    return this.parsed;
  }

  /** As PDFKit draws with it: a parsed font whose texts are shaped by `shaped`. */
  get source(): PDFKit.Mixins.PDFFontSource {
    this.drawn ??= Object.create(this.font, {
      layout: { value: (text: string) => this.drawnRun(text) },
    }) as Font;
    // PDFKit takes parsed fonts since 0.20; its types do not say so yet.
    return this.drawn as unknown as PDFKit.Mixins.PDFFontSource;
  }

  has(codePoint: number): boolean {
    return this.font.hasGlyphForCodePoint(codePoint);
  }

  /** Width of a text that is set in one run, in points. */
  width(text: string, size: number): number {
    return (this.shaped(text).advanceWidth * size) / this.font.unitsPerEm;
  }

  /** Glyphs and where they stand, in units of the font. */
  shaped(text: string): GlyphRun {
    let run = this.runs.get(text);
    if (!run) {
      run = this.withCharacters((PLAIN.test(text) ? this.byPairs(text) : undefined) ?? this.shape(text));
      this.runs.set(text, run);
    }
    return run;
  }

  /**
   * Western letters and figures stand one after the other, each pair with its own distance: the shaper, which takes half
   * a millisecond for a name, is asked once for each pair. Undefined where two of them become one glyph, as `fi` may.
   */
  private byPairs(text: string): GlyphRun | undefined {
    const { font } = this;
    const glyphs: Glyph[] = [];
    const positions: GlyphPosition[] = [];
    let width = 0;
    for (let index = 0; index < text.length; index++) {
      const glyph = font.glyphForCodePoint(text.charCodeAt(index));
      const xAdvance = index + 1 < text.length ? this.pair(text, index) : glyph.advanceWidth;
      if (xAdvance === undefined) return undefined;
      glyphs.push(glyph);
      positions.push({ xAdvance, yAdvance: 0, xOffset: 0, yOffset: 0 });
      width += xAdvance;
    }
    return { glyphs, positions, advanceWidth: width } as unknown as GlyphRun;
  }

  /** From the left end of a letter to that of the next; undefined where the shaper makes something else of them. */
  private pair(text: string, index: number): number | undefined {
    const key = text.charCodeAt(index) * 0x4000 + text.charCodeAt(index + 1);
    const known = this.pairs.get(key);
    if (known !== undefined || this.pairs.has(key)) return known;
    const { font } = this;
    const both = text.slice(index, index + 2);
    const { glyphs, positions } = this.shape(both);
    const plain =
      glyphs.length === 2 &&
      glyphs.every(({ id }, at) => id === font.glyphForCodePoint(both.charCodeAt(at)).id) &&
      positions.every(({ xOffset, yOffset }) => !xOffset && !yOffset);
    const distance = plain ? positions[0]?.xAdvance : undefined;
    if (this.pairs.size === REMEMBERED_PAIRS) this.pairs.clear();
    this.pairs.set(key, distance);
    return distance;
  }

  /** A copy of a shaped text, since PDFKit scales the positions where they lie. */
  private drawnRun(text: string): GlyphRun {
    const { glyphs, positions, advanceWidth } = this.shaped(text);
    const copies = positions.map((position) => ({ ...position }));
    return { glyphs, positions: copies, advanceWidth } as unknown as GlyphRun;
  }

  private withCharacters({ glyphs, positions, advanceWidth }: GlyphRun): GlyphRun {
    const named = glyphs.map(({ id, advanceWidth: width, codePoints }) => ({
      id,
      advanceWidth: width,
      codePoints: this.charactersOf(id, codePoints),
    }));
    return { glyphs: named, positions, advanceWidth } as unknown as GlyphRun;
  }

  /**
   * What a glyph stands for where text is copied or read aloud. The shaper says so of most; of a part of a composed letter
   * it says nothing, or the whole letter: then the font knows better.
   */
  private charactersOf(id: number, said: readonly number[]): readonly number[] {
    const [own = ''] = this.font.stringsForGlyph(id);
    const [whole] = said;
    const isPart =
      said.length === 1 &&
      own !== '' &&
      String.fromCodePoint(whole ?? 0)
        .normalize('NFD')
        .includes(own);
    if (said.length > 0 && !isPart) return said;
    return own === '' ? NO_CHARACTER : [...own].map((character) => character.codePointAt(0) ?? 0);
  }

  /** The shaper throws on some combinations of marks, which people's names do hold: those are drawn as they stand. */
  private shape(text: string): GlyphRun {
    const { font } = this;
    try {
      return font.layout(text);
    } catch {
      return unshaped(font, text);
    }
  }
}

/** One glyph for each character, side by side, in the order they are seen from left to right. */
function unshaped(font: Font, text: string): GlyphRun {
  const characters = [...text].map((character) => character.codePointAt(0) ?? 0);
  if (hasRightToLeft(text)) characters.reverse();
  const glyphs = characters.map((codePoint) => font.glyphForCodePoint(codePoint));
  const positions = glyphs.map(({ advanceWidth }) => ({
    xAdvance: advanceWidth,
    yAdvance: 0,
    xOffset: 0,
    yOffset: 0,
  }));
  const advanceWidth = glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0);
  return { glyphs, positions, advanceWidth } as unknown as GlyphRun;
}
