const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** True if a language such as `ar` or `ar-EG` is read from right to left. */
export const isRightToLeft = (locale: string): boolean =>
  RIGHT_TO_LEFT.has(locale.split('-', 1)[0]?.toLowerCase() ?? '');

/** Value of the attribute `dir` for texts in a language. */
export const directionOf = (locale: string): 'ltr' | 'rtl' => (isRightToLeft(locale) ? 'rtl' : 'ltr');

/**
 * Isolates a number or a name inside of a text in a language. Without isolation, a text that is read from
 * right to left would show the parts of `2026-000042` in another order, and the full stop of `e.V.` on the
 * wrong side.
 */
export const isolated = (text: string, locale: string): string =>
  isRightToLeft(locale) ? `\u2068${text}\u2069` : text;
