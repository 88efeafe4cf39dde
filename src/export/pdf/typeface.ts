import { readFileSync } from 'node:fs';
import { create, type Font, type GlyphPosition, type GlyphRun } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { hasRightToLeft } from './direction.js';

const FOLDER = new URL('../../../assets/fonts/', import.meta.url);
/** Shaped texts that one typeface remembers: every label, and what the receipts just drawn had in common. */
const REMEMBERED = 500;

/**
 * One font file, opened at its first use and parsed once for all documents; shaped runs are remembered,
 * because nearly all words of a receipt are on the receipt before it too.
 *
 * PDFKit takes the object in `font` and asks it to lay text out: it is the parsed font, with a `layout` that
 * remembers.
 */
export class Typeface {
  private parsed: Font | undefined;
  private remembering: Font | undefined;
  private readonly runs = new LRUCache<string, GlyphRun>({ max: REMEMBERED });

  constructor(readonly file: string) {}

  /** What `doc.font()` takes. */
  get font(): Font {
    this.remembering ??= Object.create(this.open(), {
      layout: { value: (text: string) => this.layout(text) },
    }) as Font;
    return this.remembering;
  }

  has(codePoint: number): boolean {
    return this.open().hasGlyphForCodePoint(codePoint);
  }

  /** Width of a text that is set in one run, in points. */
  width(text: string, size: number): number {
    return (this.shaped(text).advanceWidth * size) / this.open().unitsPerEm;
  }

  private layout(text: string): GlyphRun {
    const run = this.shaped(text);
    // PDFKit scales the positions in place to thousandths of the size, which nearly all of the fonts are in.
    if (this.open().unitsPerEm === 1000) return run;
    const positions: GlyphPosition[] = run.positions.map((position) => ({ ...position }));
    return { ...run, glyphs: run.glyphs, positions, advanceWidth: run.advanceWidth };
  }

  private shaped(text: string): GlyphRun {
    let run = this.runs.get(text);
    if (!run) {
      run = this.shape(text);
      this.runs.set(text, run);
    }
    return run;
  }

  /** The shaper throws on some combinations of marks, which people's names do hold: those are drawn as they stand. */
  private shape(text: string): GlyphRun {
    const font = this.open();
    try {
      return font.layout(text);
    } catch {
      return unshaped(font, text);
    }
  }

  private open(): Font {
    if (!this.parsed) {
      const font = create(readFileSync(new URL(this.file, FOLDER)));
      if (!('layout' in font)) throw new Error(`${this.file} is a collection, not a font`);
      this.parsed = font;
    }
    return this.parsed;
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
    advanceWidth,
  }));
  const advanceWidth = glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0);
  return { glyphs, positions, advanceWidth } as unknown as GlyphRun;
}
