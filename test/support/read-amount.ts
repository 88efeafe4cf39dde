import type { WordLanguage } from '../../src/common/money/amount-in-words.js';

/**
 * Reads amounts in words, as a person would: word for word, from a dictionary of each language. It shares no code with the
 * writer, so it finds the mistakes of the writer.
 */

type Token =
  | readonly [kind: 'add', value: number]
  | readonly [kind: 'hundred' | 'thousand']
  | readonly [kind: 'scale', value: number]
  | readonly [kind: 'eighty']
  | readonly [kind: 'skip'];

const numbers = (first: number, words: string): [string, Token][] =>
  words.split(' ').map((word, index): [string, Token] => [word, ['add', first + index]]);
const tens = (first: number, words: string): [string, Token][] =>
  words.split(' ').map((word, index): [string, Token] => [word, ['add', first + 10 * index]]);
const scales = (words: Record<string, number>): [string, Token][] =>
  Object.entries(words).map(([word, value]): [string, Token] => [word, ['scale', value]]);

const M = 1e6;
const DICTIONARIES: Readonly<Record<WordLanguage, readonly [string, Token][]>> = {
  de: [
    ...numbers(0, 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn'),
    ...numbers(15, 'fünfzehn sechzehn siebzehn achtzehn neunzehn'),
    ...tens(20, 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
    ['ein', ['add', 1]],
    ['eine', ['add', 1]],
    ['und', ['skip']],
    ['hundert', ['hundred']],
    ['tausend', ['thousand']],
    ...scales({ Million: M, Millionen: M, Milliarde: 1e9, Milliarden: 1e9, Billion: 1e12, Billionen: 1e12 }),
  ],
  en: [
    ...numbers(0, 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen'),
    ...numbers(15, 'fifteen sixteen seventeen eighteen nineteen'),
    ...tens(20, 'twenty thirty forty fifty sixty seventy eighty ninety'),
    ['hundred', ['hundred']],
    ['thousand', ['thousand']],
    ...scales({ million: M, billion: 1e9, trillion: 1e12 }),
  ],
  es: [
    ...numbers(0, 'cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince'),
    ...numbers(16, 'dieciséis diecisiete dieciocho diecinueve veinte veintiún veintidós veintitrés'),
    ...numbers(24, 'veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta'),
    ...tens(40, 'cuarenta cincuenta sesenta setenta ochenta noventa'),
    ['cien', ['add', 100]],
    ['ciento', ['add', 100]],
    ...'doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'
      .split(' ')
      .map((word, index): [string, Token] => [word, ['add', 200 + 100 * index]]),
    ['y', ['skip']],
    ['mil', ['thousand']],
    ...scales({ millón: M, millones: M, billón: 1e12, billones: 1e12 }),
  ],
  fr: [
    ...numbers(0, 'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze'),
    ['seize', ['add', 16]],
    ...tens(30, 'trente quarante cinquante soixante'),
    ['vingt', ['eighty']],
    ['vingts', ['eighty']],
    ['et', ['skip']],
    ['cent', ['hundred']],
    ['cents', ['hundred']],
    ['mille', ['thousand']],
    ...scales({ million: M, millions: M, milliard: 1e9, milliards: 1e9, billion: 1e12, billions: 1e12 }),
  ],
  it: [
    ...numbers(0, 'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici'),
    ...numbers(14, 'quattordici quindici sedici diciassette diciotto diciannove'),
    ...tens(20, 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta'),
    ...tens(20, 'vent trent quarant cinquant sessant settant ottant novant'),
    ['un', ['add', 1]],
    ['tré', ['add', 3]],
    ['cento', ['hundred']],
    ['mille', ['thousand']],
    ['mila', ['thousand']],
    ...scales({ milione: M, milioni: M, miliardo: 1e9, miliardi: 1e9, bilione: 1e12, bilioni: 1e12 }),
  ],
  nl: [
    ...numbers(0, 'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien'),
    ...numbers(15, 'vijftien zestien zeventien achttien negentien'),
    ...tens(20, 'twintig dertig veertig vijftig zestig zeventig tachtig negentig'),
    ['één', ['add', 1]],
    ['en', ['skip']],
    ['ën', ['skip']],
    ['honderd', ['hundred']],
    ['duizend', ['thousand']],
    ...scales({ miljoen: M, miljard: 1e9, biljoen: 1e12 }),
  ],
};

interface Dictionary {
  readonly tokens: ReadonlyMap<string, Token>;
  /** Finds the longest word at the position. */
  readonly next: RegExp;
}

const readerOf = (language: WordLanguage): Dictionary => {
  const entries = DICTIONARIES[language];
  const longestFirst = entries.map(([word]) => word).sort((one, other) => other.length - one.length);
  return { tokens: new Map(entries), next: new RegExp(`${longestFirst.join('|')}|[ -]`, 'y') };
};

const READERS: Readonly<Record<WordLanguage, Dictionary>> = {
  de: readerOf('de'),
  en: readerOf('en'),
  es: readerOf('es'),
  fr: readerOf('fr'),
  it: readerOf('it'),
  nl: readerOf('nl'),
};

/** Reads a whole number in words. */
export function readNumber(text: string, language: WordLanguage): number {
  let [total, thousands, group] = [0, 0, 0];
  let last: Token | undefined;
  const { tokens, next } = READERS[language];
  next.lastIndex = 0;
  while (next.lastIndex < text.length) {
    const at = next.lastIndex;
    const found = next.exec(text);
    if (!found) throw new Error(`Unknown word in "${text}": ${text.slice(at)}`);
    const token = tokens.get(found[0]);
    if (!token) continue;
    if (token[0] === 'add') group += token[1];
    // "quatre-vingt" is four times twenty.
    else if (token[0] === 'eighty') group += last?.[0] === 'add' && last[1] === 4 ? 76 : 20;
    else if (token[0] === 'hundred') group = (group || 1) * 100;
    else if (token[0] === 'thousand') {
      thousands += (group || 1) * 1000;
      group = 0;
    } else if (token[0] === 'scale') {
      total += (thousands + group) * token[1];
      [thousands, group] = [0, 0];
    }
    last = token;
  }
  return total + thousands + group;
}

const EUROS =
  /^(.+?) (?:d’|de |di )?[eE]uros?(?: (?:und|and|con|et|e|en) (.+) (?:[cC]ents?|céntimos?|centimes?|centesim[oi]))?$/;

/** Reads an amount of euros in words as cents. */
export function readEuros(text: string, language: WordLanguage): number {
  const [, whole, part] = EUROS.exec(text) ?? [];
  if (whole === undefined) throw new Error(`No amount: ${text}`);
  return readNumber(whole, language) * 100 + (part === undefined ? 0 : readNumber(part, language));
}
