import { readFileSync } from 'node:fs';
import { create, type Font, type Glyph, type GlyphPosition, type GlyphRun } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { ROOT_FOLDER } from '../../common/root-folder.js';

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** True if a text contains right-to-left letters. */
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

const FOLDER = new URL('assets/fonts/', ROOT_FOLDER);
/** Cached shaped texts for each typeface: enough for all labels and the texts shared by recent receipts. */
const REMEMBERED = 500;
/** Cached letter pairs for each typeface: more than a language needs, but limited against made-up input. */
const REMEMBERED_PAIRS = 20_000;
const NO_CHARACTER = [0xfffd];
/** Characters whose only spacing rule is the distance between two: Western letters and currency signs. */
const PLAIN = /^[ -~\u00A0-\u00AC\u00AE-\u017F\u2010-\u201F\u2026\u202F\u20AC]+$/;

/**
 * A font file, opened at first use and parsed once for all documents. Shaped runs are cached because most receipts
 * repeat the same words.
 */
export class Typeface {
  private parsed: Font | undefined;
  private drawn: Font | undefined;
  private readonly runs = new LRUCache<string, GlyphRun>({ max: REMEMBERED });
  /** The key combines both character codes, each below 0x4000. */
  private readonly pairs = new Map<number, number | undefined>();

  constructor(readonly file: string) {}

  /** The parsed font. */
  get font(): Font {
    if (!this.parsed) {
      const font = create(readFileSync(new URL(this.file, FOLDER)));
      if (!('layout' in font)) throw new Error(`${this.file} is a collection, not a font`);
      this.parsed = font;
    }
    return this.parsed;
  }

  /** The font as PDFKit uses it: the parsed font, with texts shaped by `shaped`. */
  get source(): PDFKit.Mixins.PDFFontSource {
    this.drawn ??= Object.create(this.font, {
      layout: { value: (text: string) => this.drawnRun(text) },
    }) as Font;
    // PDFKit accepts parsed fonts since 0.20, but its types do not say so yet.
    return this.drawn as unknown as PDFKit.Mixins.PDFFontSource;
  }

  has(codePoint: number): boolean {
    return this.font.hasGlyphForCodePoint(codePoint);
  }

  /** Width of a text set in one run, in points. */
  width(text: string, size: number): number {
    return (this.shaped(text).advanceWidth * size) / this.font.unitsPerEm;
  }

  /** Glyphs and their positions, in font units. */
  shaped(text: string): GlyphRun {
    let run = this.runs.get(text);
    if (!run) {
      run = this.withCharacters((PLAIN.test(text) ? this.byPairs(text) : undefined) ?? this.shape(text));
      this.runs.set(text, run);
    }
    return run;
  }

  /**
   * Places Western text by the distance of each letter pair. The shaper takes half a millisecond for a name, so it is
   * called once for each pair. Undefined if a pair becomes one glyph, as `fi` can.
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

  /** Distance between the left ends of two letters; undefined if the shaper joins or changes them. */
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

  /** Copies a shaped text, because PDFKit scales positions in place. */
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
   * Characters of a glyph for copying and reading aloud. The shaper gives them for most glyphs. For a part of a
   * composed letter it gives nothing or the whole letter, so the font's own mapping is used.
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

  /** The shaper throws on some combinations of marks that real names contain. Such texts are drawn unshaped. */
  private shape(text: string): GlyphRun {
    const { font } = this;
    try {
      return font.layout(text);
    } catch {
      return unshaped(font, text);
    }
  }
}

/** One glyph for each character, in visual order from left to right. */
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
