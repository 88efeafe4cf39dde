// eslint-disable-next-line no-control-regex -- control characters are exactly what this refuses
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

const LINE_BREAKS = /[\t\n\r\u2028\u2029]/;
// Direction marks change the order of the text around them. They could make a name on the wall look like another name.
const BIDI_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/;

// Matches a visible character. A name of only joiners, variation selectors, fillers and combining marks would be invisible.
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\p{M}\u2800]/u;

/** Returns the problem of a text as the end of a sentence, or undefined. Lengths are numbers of code points. */
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
 * Returns a pattern of the characters that `textProblem` accepts, for the API description. The pattern does not check for a
 * visible character, because many regular expression dialects lack the necessary Unicode classes.
 * @param blank true if blank text is accepted as absent
 */
export function textPattern({ multiline, blank }: { multiline?: boolean; blank: boolean }): string {
  const forbidden = multiline ? FORBIDDEN.lines : FORBIDDEN.line;
  return blank ? `^[^${forbidden}]*$` : `^[^${forbidden}]*[^\\s${forbidden}][^${forbidden}]*$`;
}

/**
 * Cuts a text to a maximum number of UTF-8 bytes, for example for a QR code or a file name. Cuts only between characters, and
 * replaces the removed part with an ellipsis.
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

/** Escapes the wildcards of SQL's LIKE. */
export const withoutWildcards = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Returns the text in NFC, without surrounding white space. */
export const tidyText = (text: string): string => text.normalize('NFC').trim();
