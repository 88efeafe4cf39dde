import bidiFactory, { type Bidi } from 'bidi-js';
import { LRUCache } from 'lru-cache';
import { type Typeface, hasRightToLeft } from './typeface.js';
import { baseTypeface, setGrapheme, type Weight } from './typefaces.js';

// The package's types describe an ES module, but the import in Node is the function itself.
const bidi = (bidiFactory as unknown as () => Bidi)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Western letters, figures and punctuation. All of them have the same typeface and direction, so the layout needs no lookup.
 */
const PLAIN = /^[ -~\u00A0-\u00AC\u00AE-\u017F\u2010-\u201F\u2026\u202F\u20AC]*$/u;
const SPACE = /^\s+$/u;
const OPENING = /^[\p{Ps}\p{Pi}]+$/u;
/** Spaces at which a line must not break, for example in an amount from `Intl`. */
const GLUE = /[\u00A0\u202F\u2060]/u;

export interface TextStyle {
  readonly size: number;
  readonly weight: Weight;
}

/** Part of a line in one typeface and direction, in visual order from left to right. */
export interface VisualRun {
  readonly text: string;
  readonly typeface: Typeface;
  readonly width: number;
}

export interface TextLine {
  readonly runs: readonly VisualRun[];
  readonly width: number;
}

interface Piece {
  readonly text: string;
  readonly typeface: Typeface;
  readonly level: number;
}

/** Caches the lines of labels, addresses and event names, because most receipts contain the same ones. */
const laidOut = new LRUCache<string, readonly TextLine[]>({ max: 500 });

/**
 * Breaks a text into lines of at most `width` points, and each line into runs in drawing order from left to right. A line feed
 * starts a new line. A word that is longer than a line is split between characters. If the text has more than `maxLines` lines,
 * the last line ends with an ellipsis.
 */
export function layOutText(
  text: string,
  style: TextStyle,
  width: number,
  maxLines = Infinity,
): readonly TextLine[] {
  const key = `${style.size}/${style.weight}/${width}/${maxLines}/${text}`;
  let lines = laidOut.get(key);
  if (!lines) {
    lines = breakText(text, style, width, maxLines);
    laidOut.set(key, lines);
  }
  return lines;
}

function breakText(text: string, style: TextStyle, width: number, maxLines: number): readonly TextLine[] {
  const broken = text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .split('\n')
    .flatMap((paragraph) => breakParagraph(paragraph.replaceAll('\t', ' '), style, width));
  const kept = broken.slice(0, maxLines);
  const last = kept.at(-1);
  if (broken.length > kept.length && last !== undefined)
    kept[kept.length - 1] = shortened(last, style, width);
  return kept.map((line) => visualLine(line, style));
}

function shortened(line: string, style: TextStyle, width: number): string {
  const parts = [...graphemes.segment(line.trimEnd())].map(({ segment }) => segment);
  while (parts.length > 0 && measure(`${parts.join('')}…`, style) > width) parts.pop();
  return `${parts.join('').trimEnd()}…`;
}

function breakParagraph(paragraph: string, style: TextStyle, width: number): string[] {
  if (measure(paragraph, style) <= width) return [paragraph.trimEnd()];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const add = (text: string) => {
    const fits = used + measure(text.trimEnd(), style) <= width;
    if (!fits && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = '';
      used = 0;
    }
    line += text;
    used += measure(text, style);
  };
  for (const unit of unbreakable(paragraph)) {
    if (measure(unit.trimEnd(), style) <= width) add(unit);
    else for (const { segment } of graphemes.segment(unit)) add(segment);
  }
  lines.push(line.trimEnd());
  return lines;
}

/**
 * Returns the units that must stay on one line: a word with its punctuation and the following space. `Intl` finds the words in
 * Thai and Chinese.
 */
function unbreakable(text: string): string[] {
  const units: string[] = [];
  let open = false;
  for (const { segment, isWordLike } of words.segment(text)) {
    const last = units.at(-1);
    const breaksHere = last !== undefined && /\s$/u.test(last) && !GLUE.test(last.slice(-1));
    const glued = GLUE.test(segment) || (last !== undefined && GLUE.test(last.slice(-1)));
    const trails = !isWordLike && !OPENING.test(segment) && !breaksHere;
    if (last !== undefined && (open || glued || trails || SPACE.test(segment)))
      units[units.length - 1] = last + segment;
    else units.push(segment);
    open = OPENING.test(segment);
  }
  return units;
}

function measure(text: string, style: TextStyle): number {
  let width = 0;
  for (const piece of pieces(text, style, undefined)) width += piece.typeface.width(piece.text, style.size);
  return width;
}

function visualLine(text: string, style: TextStyle): TextLine {
  const levels = hasRightToLeft(text) ? bidi.getEmbeddingLevels(text).levels : undefined;
  const ordered = levels ? inVisualOrder(pieces(text, style, levels)) : pieces(text, style, undefined);
  const runs = ordered.map(({ text: part, typeface, level }) => {
    const drawn = level % 2 === 1 ? drawnRightToLeft(part) : drawnLeftToRight(part);
    return { text: drawn, typeface, width: typeface.width(drawn, style.size) };
  });
  return { runs, width: runs.reduce((sum, run) => sum + run.width, 0) };
}

/** Splits a text into pieces of one typeface and one level of direction, in stored order. */
function pieces(text: string, { weight }: TextStyle, levels: Uint8Array | undefined): Piece[] {
  if (PLAIN.test(text)) return text === '' ? [] : [{ text, typeface: baseTypeface(weight), level: 0 }];
  const found: { text: string; typeface: Typeface; level: number }[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const last = found.at(-1);
    const level = levels?.[index] ?? 0;
    const set = setGrapheme(segment, weight, last?.typeface);
    if (last?.typeface === set.typeface && last.level === level) last.text += set.text;
    else if (set.text !== '') found.push({ ...set, level });
  }
  return found;
}

/** Sorts the pieces with rule L2 of the Unicode bidirectional algorithm. Each piece has one level. */
function inVisualOrder(logical: Piece[]): Piece[] {
  const order = [...logical];
  const highest = Math.max(0, ...order.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start;
      while (end < order.length && (order[end]?.level ?? 0) >= level) end++;
      if (end - start > 1) order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = Math.max(start, end - 1);
    }
  }
  return order;
}

/**
 * Mirrors brackets. The shaper reverses a run with right-to-left letters. The shaper does not reverse a run of punctuation, so
 * this function does.
 */
function drawnRightToLeft(text: string): string {
  const mirrored = [...graphemes.segment(text)].map(
    ({ segment }) => bidi.getMirroredCharacter(segment) ?? segment,
  );
  return hasRightToLeft(text) ? mirrored.join('') : mirrored.reverse().join('');
}

/** Reverses Arabic digits before the shaper reverses them like letters. So the digits stay readable from left to right. */
const drawnLeftToRight = (text: string): string =>
  hasRightToLeft(text) ? [...text].reverse().join('') : text;
