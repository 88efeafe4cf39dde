// eslint-disable-next-line no-control-regex -- control characters are exactly what this refuses
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

const LINE_BREAKS = /[\t\n\r\u2028\u2029]/;
// Marks that reorder what stands around them could make a name on the wall read as another.
const BIDI_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/;

// Joiners, variation selectors, fillers and marks alone would be an invisible name.
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\p{M}\u2800]/u;

/** What is wrong with a text, as the end of a sentence, or undefined. Lengths count code points. */
export function textProblem(text: string, rule: { max: number; multiline?: boolean }): string | undefined {
  if (!text.isWellFormed()) return 'must not contain broken characters';
  if (CONTROL.test(text)) return 'must not contain control characters';
  if (BIDI_OVERRIDES.test(text)) return 'must not contain text direction overrides';
  if (!rule.multiline && LINE_BREAKS.test(text)) return 'must be one line';
  if (text.length > rule.max && [...text].length > rule.max) return `must be at most ${rule.max} characters`;
  if (text !== '' && !VISIBLE.test(text)) return 'must contain a visible character';
  return undefined;
}

const FORBIDDEN = {
  line: '\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069\\uFFFE\\uFFFF',
  lines:
    '\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069\\uFFFE\\uFFFF',
} as const;

/**
 * The characters that `textProblem` takes, as a pattern for the API's description. That one of them is visible is left to
 * words: only some dialects of regular expressions know the classes of Unicode that it would need.
 * @param blank whether text without anything but white space is taken, which means absent
 */
export function textPattern({ multiline, blank }: { multiline?: boolean; blank: boolean }): string {
  const forbidden = multiline ? FORBIDDEN.lines : FORBIDDEN.line;
  return blank ? `^[^${forbidden}]*$` : `^[^${forbidden}]*[^\\s${forbidden}][^${forbidden}]*$`;
}

/**
 * A text that fits where so many bytes of UTF-8 have room, such as a QR code or the name of a file: cut between characters, with an
 * ellipsis for what is left out.
 */
export function fitted(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let room = maxBytes - Buffer.byteLength('…');
  let kept = '';
  for (const { segment } of GRAPHEMES.segment(text)) {
    room -= Buffer.byteLength(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** For LIKE: its wildcards stand for themselves. */
export const withoutWildcards = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** NFC, without white space at the ends. */
export const tidyText = (text: string): string => text.normalize('NFC').trim();
