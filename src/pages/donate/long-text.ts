/** A longer text is split if its rest is long enough to be worth a click. */
const SHOWN_CHARACTERS = 280;
const LEAST_REST = 80;
/** A line break takes as much space on a phone as this number of characters. */
const LINE_CHARACTERS = 35;

/**
 * Splits a long text into its start and its rest, after a sentence, or after a word if the first sentence is too long.
 * @returns the whole text and an empty rest if the text is short
 */
export function splitLong(text: string, locale: string): readonly [start: string, rest: string] {
  if (spaceOf(text) < SHOWN_CHARACTERS + LEAST_REST) return [text, ''];
  for (const granularity of ['sentence', 'word'] as const) {
    const end = lastEnd(text, new Intl.Segmenter(locale, { granularity }));
    if (end > 0) {
      const start = text.slice(0, end).trimEnd();
      return [granularity === 'word' ? `${start} …` : start, text.slice(end).trimStart()];
    }
  }
  return [text, ''];
}

/**
 * Returns the index after the last sentence or word that fits into the start; 0 if the first one is too long.
 */
function lastEnd(text: string, segmenter: Intl.Segmenter): number {
  let [end, space] = [0, 0];
  for (const { segment } of segmenter.segment(text)) {
    space += spaceOf(segment);
    if (space > SHOWN_CHARACTERS) break;
    end += segment.length;
  }
  return end;
}

const spaceOf = (text: string): number =>
  text.length + (text.match(/\n/g)?.length ?? 0) * (LINE_CHARACTERS - 1);
