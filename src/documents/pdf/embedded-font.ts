import type { Glyph, GlyphPosition, GlyphRun } from 'fontkit';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { decimal, type PdfObject } from './pdf-file.js';
import { fontObject, type PdfKitFont, pdfKitFont } from './pdfkit-objects.js';
import type { Typeface } from './typeface.js';

/** How many strings one font remembers as they are shown: the labels of receipts, and what the last ones had in common. */
const REMEMBERED = 500;
const NO_CHARACTER = [0xfffd];

/** The subset of one typeface that documents show their text with. */
export class EmbeddedFont {
  private readonly font: PdfKitFont;
  private readonly shown = boundedCache<string>(REMEMBERED);
  /** Numbers of glyphs that were shown. Others are in the subset as parts of composed letters. */
  private readonly used = new Set<number>();
  private made: { readonly used: number; readonly object: PdfObject } | undefined;

  constructor(private readonly typeface: Typeface) {
    this.font = pdfKitFont(typeface.font, typeface.file);
  }

  /** How many glyphs it has by now. */
  get size(): number {
    return this.font.subset.glyphs.length;
  }

  /** The font with every glyph shown so far; made anew only after a new one. */
  get object(): PdfObject {
    if (this.made?.used !== this.used.size) {
      this.fillGaps();
      this.made = { used: this.used.size, object: fontObject(this.font) };
    }
    return this.made.object;
  }

  /**
   * The operators that show a text which is set in this typeface, its letters upright in a page that counts from the
   * top. `x` and `y` are its left end and its baseline.
   */
  show(text: string, size: number, x: number, y: number): string {
    const known = this.shown.get(text);
    if (known !== undefined) return `1 0 0 -1 ${decimal(x)} ${decimal(y)} Tm ${known}`;
    const run = this.typeface.shaped(text);
    const { glyphs, positions } = run;
    const { scale } = this.font;
    if (positions.some(({ xOffset, yOffset }) => xOffset || yOffset))
      return this.showPlaced(run, (size * scale) / 1000, x, y);
    let shown = '[<';
    glyphs.forEach((glyph, index) => {
      shown += this.code(glyph);
      const kern = ((positions[index] as GlyphPosition).xAdvance - glyph.advanceWidth) * scale;
      if (kern !== 0 && index < glyphs.length - 1) shown += `>${decimal(-kern)}<`;
    });
    shown += '>]TJ';
    this.shown.set(text, shown);
    return `1 0 0 -1 ${decimal(x)} ${decimal(y)} Tm ${shown}`;
  }

  /** With marks that stand above or below their letter: each glyph is sent to its place. */
  private showPlaced({ glyphs, positions }: GlyphRun, scale: number, x: number, y: number): string {
    let left = x;
    return glyphs
      .map((glyph, index) => {
        const { xAdvance, xOffset, yOffset } = positions[index] as GlyphPosition;
        const place = `1 0 0 -1 ${decimal(left + xOffset * scale)} ${decimal(y - yOffset * scale)} Tm`;
        left += xAdvance * scale;
        return `${place} <${this.code(glyph)}>Tj`;
      })
      .join(' ');
  }

  /** Four hexadecimal digits: the glyph's number in the subset. */
  private code({ id, advanceWidth, codePoints }: Glyph): string {
    const { subset, widths, unicode, scale } = this.font;
    const number = subset.includeGlyph(id);
    if (!this.used.has(number)) {
      this.used.add(number);
      widths[number] = advanceWidth * scale;
      unicode[number] = this.charactersOf(id, codePoints);
    }
    return number.toString(16).padStart(4, '0');
  }

  /**
   * What a glyph stands for where text is copied or read aloud. The shaper says so of most; of a part of a composed letter
   * it says nothing, or the whole letter: then the font knows better.
   */
  private charactersOf(id: number, said: readonly number[]): readonly number[] {
    const [own = ''] = this.typeface.font.stringsForGlyph(id);
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

  /** Parts of composed letters come into the subset while it is cut; what they mean is said once they are shown. */
  private fillGaps(): void {
    const { widths, unicode } = this.font;
    for (let number = 0; number < this.size; number++) {
      widths[number] ??= 0;
      unicode[number] ??= NO_CHARACTER;
    }
  }
}

/** Beyond so many glyphs (Latin, Greek and Cyrillic together have fewer in daily use) a shared font would weigh on every document. */
const MOST_SHARED = 400;
const shared = new Map<Typeface, EmbeddedFont>();

/**
 * The font that all documents show their Western text with: what is cut and packed for one is there for the next. Other
 * scripts have too many letters for that, and are cut for each document.
 */
export function sharedFont(typeface: Typeface): EmbeddedFont {
  let font = shared.get(typeface);
  if (!font || font.size > MOST_SHARED) {
    font = new EmbeddedFont(typeface);
    shared.set(typeface, font);
  }
  return font;
}
