import { readFileSync } from 'node:fs';
import { create, type Font, type Glyph, type GlyphPosition, type GlyphRun } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { ROOT_FOLDER } from '../../common/root-folder.js';

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** True if a text contains right-to-left letters. */
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

const FOLDER = new URL('assets/fonts/', ROOT_FOLDER);
/**
 * Number of shaped texts that are cached for each typeface. This is enough for all labels and the texts shared by recent
 * receipts.
 */
const REMEMBERED = 500;
/**
 * Number of letter pairs that are cached for each typeface. This is more than a language needs, but limits the memory that
 * made-up input can use.
 */
const REMEMBERED_PAIRS = 20_000;
const NO_CHARACTER = [0xfffd];
/** Western letters and currency signs. Their spacing depends only on the distance between two neighbours. */
const PLAIN = /^[ -~\u00A0-\u00AC\u00AE-\u017F\u2010-\u201F\u2026\u202F\u20AC]+$/;

/**
 * A font file. It is opened at its first use and parsed once for all documents. Shaped runs are cached, because most receipts
 * contain the same words.
 */
export class Typeface {
  private parsed: Font | undefined;
  private drawn: Font | undefined;
  private readonly runs = new LRUCache<string, GlyphRun>({ max: REMEMBERED });
  /** The key combines the codes of both characters. Each code is below 0x4000. */
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

  /** The font for PDFKit: the parsed font, but `shaped` shapes its texts. */
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

  /** Width of a text in points, drawn as one run. */
  width(text: string, size: number): number {
    return (this.shaped(text).advanceWidth * size) / this.font.unitsPerEm;
  }

  /** Returns the glyphs of a text and their positions, in font units. */
  shaped(text: string): GlyphRun {
    let run = this.runs.get(text);
    if (!run) {
      run = this.withCharacters((PLAIN.test(text) ? this.byPairs(text) : undefined) ?? this.shape(text));
      this.runs.set(text, run);
    }
    return run;
  }

  /**
   * Sets Western text with the cached distance of each letter pair. The shaper needs half a millisecond for a name, so this
   * calls the shaper only once for each pair. Undefined if a pair becomes one glyph, for example `fi`.
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

  /** Returns the distance between the left ends of two letters; undefined if the shaper joins or changes the letters. */
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

  /** Copies a shaped text, because PDFKit changes the positions. */
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
   * Returns the characters of a glyph, for copied text and for screen readers. The shaper knows them for most glyphs. For a
   * part of a composed letter, the shaper returns no character or the whole letter, so the mapping of the font is used.
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

  /**
   * Shapes a text. The shaper throws an error on some combinations of marks that occur in real names. Such texts are drawn
   * without shaping.
   */
  private shape(text: string): GlyphRun {
    const { font } = this;
    try {
      return font.layout(text);
    } catch {
      return unshaped(font, text);
    }
  }
}

/** Returns one glyph for each character, in visual order from left to right. */
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
