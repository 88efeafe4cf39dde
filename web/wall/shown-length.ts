// Firefox 90 has no Intl.Segmenter.
const JOINED = /\u200D.|[\p{M}\p{Emoji_Modifier}\u{E0020}-\u{E007F}]/gsu;

/**
 * Returns the number of characters that a reader sees. Combining accents, skin tones and joined emoji do not
 * add to it.
 */
export const shownLength = (text: string): number => [...text.replace(JOINED, '')].length;
