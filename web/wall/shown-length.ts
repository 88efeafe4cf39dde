// Firefox 90 has no Intl.Segmenter.
const JOINED = /\u200D.|[\p{M}\p{Emoji_Modifier}\u{E0020}-\u{E007F}]/gsu;

/** Returns the number of characters that a reader sees: an accent, a skin tone or a joined person adds none. */
export const shownLength = (text: string): number => [...text.replace(JOINED, '')].length;
