import { boundedCache } from '../../common/caching/bounded-cache.js';
import { Typeface } from './typeface.js';

/** The font file of each Unicode script. The base typefaces contain Latin, Greek and Cyrillic. */
const SCRIPT_FILES = {
  Adlam: 'NotoSansAdlam-Regular.ttf',
  Arabic: 'NotoSansArabic-Regular.ttf',
  Armenian: 'NotoSansArmenian-Regular.ttf',
  Bengali: 'NotoSansBengali-Regular.ttf',
  Canadian_Aboriginal: 'NotoSansCanadianAboriginal-Regular.ttf',
  Cherokee: 'NotoSansCherokee-Regular.ttf',
  Devanagari: 'NotoSansDevanagari-Regular.ttf',
  Ethiopic: 'NotoSansEthiopic-Regular.ttf',
  Georgian: 'NotoSansGeorgian-Regular.ttf',
  Gujarati: 'NotoSansGujarati-Regular.ttf',
  Gurmukhi: 'NotoSansGurmukhi-Regular.ttf',
  Hebrew: 'NotoSansHebrew-Regular.ttf',
  Javanese: 'NotoSansJavanese-Regular.ttf',
  Kannada: 'NotoSansKannada-Regular.ttf',
  Khmer: 'NotoSansKhmer-Regular.ttf',
  Lao: 'NotoSansLao-Regular.ttf',
  Malayalam: 'NotoSansMalayalam-Regular.ttf',
  Mongolian: 'NotoSansMongolian-Regular.ttf',
  Myanmar: 'NotoSansMyanmar-Regular.ttf',
  Nko: 'NotoSansNKo-Regular.ttf',
  Ol_Chiki: 'NotoSansOlChiki-Regular.ttf',
  Oriya: 'NotoSansOriya-Regular.ttf',
  Sinhala: 'NotoSansSinhala-Regular.ttf',
  Syriac: 'NotoSansSyriac-Regular.ttf',
  Tamil: 'NotoSansTamil-Regular.ttf',
  Telugu: 'NotoSansTelugu-Regular.ttf',
  Thaana: 'NotoSansThaana-Regular.ttf',
  Thai: 'NotoSansThai-Regular.ttf',
  Tibetan: 'NotoSerifTibetan-Regular.ttf',
  Tifinagh: 'NotoSansTifinagh-Regular.ttf',
  Vai: 'NotoSansVai-Regular.ttf',
  Yi: 'NotoSansYi-Regular.ttf',
} as const;

/** Scripts that receipts support, in addition to Latin, Greek, Cyrillic, Chinese, Japanese and Korean. */
export const SHIPPED_SCRIPTS: readonly string[] = Object.keys(SCRIPT_FILES);

export type Weight = 'regular' | 'bold';

const BASE: Readonly<Record<Weight, Typeface>> = {
  regular: new Typeface('NotoSans-Regular.ttf'),
  bold: new Typeface('NotoSans-Bold.ttf'),
};
const CJK = new Typeface('NotoSansCJKsc-Regular.otf');
const EMOJI = new Typeface('NotoEmoji-Regular.ttf');
const SCRIPTS = Object.entries(SCRIPT_FILES).map(([script, file]) => ({
  test: new RegExp(`\\p{Script_Extensions=${script}}`, 'u'),
  typeface: new Typeface(file),
}));
const REST = [
  new Typeface('NotoSansSymbols-Regular.ttf'),
  new Typeface('NotoSansSymbols2-Regular.ttf'),
  new Typeface('NotoSansMath-Regular.ttf'),
];

/** The typeface for Western text. */
export const baseTypeface = (weight: Weight): Typeface => BASE[weight];

const EMOJI_SHAPE = /\p{Emoji_Presentation}|\p{Regional_Indicator}|\uFE0F/u;
const CJK_SHAPE =
  /\p{Script_Extensions=Han}|\p{Script_Extensions=Hiragana}|\p{Script_Extensions=Katakana}|\p{Script_Extensions=Hangul}|\p{Script_Extensions=Bopomofo}|[\uFF00-\uFFEF]/u;
const NEUTRAL = /^[\p{Script=Common}\p{Script=Inherited}]+$/u;
/** Joiners, variation selectors and direction marks. A typeface needs no glyph for these characters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Drawn instead of a character that no typeface contains. So the reader sees that a character is missing. */
export const REPLACEMENT = '\uFFFD';

export interface SetGrapheme {
  readonly text: string;
  readonly typeface: Typeface;
}

const chosen = boundedCache<SetGrapheme>(20_000);

/**
 * Selects the typeface for one user-perceived character. If `before`, the typeface of the previous character, contains a space
 * or punctuation mark, this character uses `before` too. So a text of one script is not split, and the shaper can join its letters.
 */
export function setGrapheme(text: string, weight: Weight, before?: Typeface): SetGrapheme {
  if (before && isScriptTypeface(before) && NEUTRAL.test(text) && hasAll(before, text))
    return { text: drawable(before, text), typeface: before };
  const key = `${weight}${text}`;
  let found = chosen.get(key);
  if (!found) {
    const typeface = candidates(text, weight).find((candidate) => hasAll(candidate, text));
    found = typeface ? { text: drawable(typeface, text), typeface } : withoutMarks(text, weight);
    chosen.set(key, found);
  }
  return found;
}

const isScriptTypeface = (typeface: Typeface) => SCRIPTS.some((script) => script.typeface === typeface);

function candidates(text: string, weight: Weight): Typeface[] {
  return [
    ...(EMOJI_SHAPE.test(text) ? [EMOJI] : []),
    BASE[weight],
    ...SCRIPTS.filter(({ test }) => test.test(text)).map(({ typeface }) => typeface),
    ...(CJK_SHAPE.test(text) ? [CJK] : []),
    ...REST,
    EMOJI,
    CJK,
  ];
}

/** Removes marks that no typeface contains. A letter that no typeface contains becomes the replacement character. */
function withoutMarks(text: string, weight: Weight): SetGrapheme {
  const [first = REPLACEMENT] = text;
  const typeface = candidates(first, weight).find((candidate) => hasAll(candidate, first));
  return typeface ? { text: first, typeface } : { text: REPLACEMENT, typeface: BASE[weight] };
}

/** Removes soft hyphens, and invisible characters that the typeface would draw as a box. */
const drawable = (typeface: Typeface, text: string): string =>
  text.replace(INVISIBLE, (mark) =>
    mark !== '\u00AD' && typeface.has(mark.codePointAt(0) ?? 0) ? mark : '',
  );

function hasAll(typeface: Typeface, text: string): boolean {
  for (const character of text.replace(INVISIBLE, '')) {
    if (!typeface.has(character.codePointAt(0) ?? 0)) return false;
  }
  return true;
}
