import { currencyExponent } from './money.js';

/** Languages in which amounts can be written out. */
export const WORD_LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl'] as const;
export type WordLanguage = (typeof WORD_LANGUAGES)[number];

/** Names of a currency and of its hundredth part, each for one and for several. */
interface CurrencyWords {
  readonly whole: readonly [one: string, several: string];
  readonly part: readonly [one: string, several: string];
}

interface Language {
  /** Writes out a whole number from 0, as it is said in front of a masculine noun. */
  readonly number: (value: number) => string;
  /** Word between the whole units and the hundredths. */
  readonly and: string;
  /** Word between full millions and the name of the currency. */
  readonly of?: (noun: string) => string;
  readonly currencies: Readonly<Record<string, CurrencyWords>>;
}

const same = (word: string): readonly [string, string] => [word, word];
const plural = (word: string, several = `${word}s`): readonly [string, string] => [word, several];

const MILLION = 1_000_000;
const MILLIARD = 1_000_000_000;
const BILLION = 1_000_000_000_000;

/** Splits a number into the count of a scale and the rest. */
function split(value: number, scale: number): [count: number, rest: number] {
  const rest = value % scale;
  return [(value - rest) / scale, rest];
}

const joined = (parts: readonly string[], by = ' '): string => parts.filter((part) => part !== '').join(by);

/** A large unit such as the million, with its name for one and for several. */
interface Scale {
  readonly size: number;
  readonly one: string;
  readonly several: string;
}

/** Writes out the millions and larger units of a number, then the rest below a million. */
function withScales(
  value: number,
  scales: readonly Scale[],
  below: (rest: number) => string,
  zero: string,
): string {
  if (value === 0) return zero;
  const parts: string[] = [];
  let rest = value;
  for (const { size, one, several } of scales) {
    const [count, left] = split(rest, size);
    if (count === 1) parts.push(one);
    else if (count > 1) parts.push(`${below(count)} ${several}`);
    rest = left;
  }
  return joined([...parts, rest > 0 ? below(rest) : '']);
}

const scale = (size: number, one: string, several: string): Scale => ({ size, one, several });

// German

const DE = [
  ...['', 'eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn', 'elf', 'zwölf'],
  ...['dreizehn', 'vierzehn', 'fünfzehn', 'sechzehn', 'siebzehn', 'achtzehn', 'neunzehn'],
];
const DE_TENS = [
  '',
  '',
  'zwanzig',
  'dreißig',
  'vierzig',
  'fünfzig',
  'sechzig',
  'siebzig',
  'achtzig',
  'neunzig',
];
/** The form of a number in front of another part of the word: `ein` in `einhundert`. */
const germanStem = (value: number): string => germanBelowThousand(value).replace(/eins$/, 'ein');

function germanBelowThousand(value: number): string {
  const [hundreds, rest] = split(value, 100);
  const [tens, ones] = split(rest, 10);
  const small =
    rest < 20 ? (DE[rest] ?? '') : `${ones > 0 ? `${germanStem(ones)}und` : ''}${DE_TENS[tens] ?? ''}`;
  return `${hundreds > 0 ? `${germanStem(hundreds)}hundert` : ''}${small}`;
}

function germanBelowMillion(value: number): string {
  const [thousands, rest] = split(value, 1000);
  return `${thousands > 0 ? `${germanStem(thousands)}tausend` : ''}${germanBelowThousand(rest)}`;
}

const GERMAN_SCALES = [
  scale(BILLION, 'eine Billion', 'Billionen'),
  scale(MILLIARD, 'eine Milliarde', 'Milliarden'),
  scale(MILLION, 'eine Million', 'Millionen'),
];

// English

const EN = [
  ...['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const EN_TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

function englishBelowMillion(value: number): string {
  const [thousands, hundreds] = split(value, 1000);
  const [count, rest] = split(hundreds, 100);
  const [tens, ones] = split(rest, 10);
  return joined([
    thousands > 0 ? `${englishBelowMillion(thousands)} thousand` : '',
    count > 0 ? `${EN[count] ?? ''} hundred` : '',
    rest < 20 ? (EN[rest] ?? '') : joined([EN_TENS[tens] ?? '', EN[ones] ?? ''], '-'),
  ]);
}

const ENGLISH_SCALES = [
  scale(BILLION, 'one trillion', 'trillion'),
  scale(MILLIARD, 'one billion', 'billion'),
  scale(MILLION, 'one million', 'million'),
];

// Spanish

const ES = [
  ...['', 'un', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve', 'diez', 'once', 'doce'],
  ...['trece', 'catorce', 'quince', 'dieciséis', 'diecisiete', 'dieciocho', 'diecinueve', 'veinte'],
  ...['veintiún', 'veintidós', 'veintitrés', 'veinticuatro', 'veinticinco', 'veintiséis', 'veintisiete'],
  ...['veintiocho', 'veintinueve'],
];
const ES_TENS = [
  ...['', '', '', 'treinta', 'cuarenta', 'cincuenta', 'sesenta', 'setenta', 'ochenta', 'noventa'],
];
const ES_HUNDREDS = [
  ...['', 'ciento', 'doscientos', 'trescientos', 'cuatrocientos', 'quinientos', 'seiscientos', 'setecientos'],
  ...['ochocientos', 'novecientos'],
];

function spanishBelowMillion(value: number): string {
  const [thousands, hundreds] = split(value, 1000);
  const [count, rest] = split(hundreds, 100);
  const [tens, ones] = split(rest, 10);
  return joined([
    thousands > 1 ? `${spanishBelowMillion(thousands)} mil` : thousands === 1 ? 'mil' : '',
    hundreds === 100 ? 'cien' : (ES_HUNDREDS[count] ?? ''),
    rest < 30 ? (ES[rest] ?? '') : joined([ES_TENS[tens] ?? '', ES[ones] ?? ''], ' y '),
  ]);
}

// 10^9 is "mil millones": the count of the millions goes up to 999,999.
const SPANISH_SCALES = [scale(BILLION, 'un billón', 'billones'), scale(MILLION, 'un millón', 'millones')];

// French

const FR = [
  ...['', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf', 'dix', 'onze', 'douze'],
  ...['treize', 'quatorze', 'quinze', 'seize', 'dix-sept', 'dix-huit', 'dix-neuf'],
];
const FR_TENS = ['', '', 'vingt', 'trente', 'quarante', 'cinquante', 'soixante', 'soixante'];

function frenchBelowHundred(value: number): string {
  if (value < 20) return FR[value] ?? '';
  if (value >= 80) return value === 80 ? 'quatre-vingts' : `quatre-vingt-${FR[value - 80] ?? ''}`;
  const tens = Math.floor(value / 10);
  const rest = value - (tens === 7 ? 60 : tens * 10);
  if (rest === 0) return FR_TENS[tens] ?? '';
  return rest === 1 || rest === 11
    ? `${FR_TENS[tens] ?? ''} et ${FR[rest] ?? ''}`
    : `${FR_TENS[tens] ?? ''}-${FR[rest] ?? ''}`;
}

function frenchBelowThousand(value: number): string {
  const [hundreds, rest] = split(value, 100);
  const cent = hundreds > 1 ? `${FR[hundreds] ?? ''} cent${rest === 0 ? 's' : ''}` : 'cent';
  return joined([hundreds > 0 ? cent : '', frenchBelowHundred(rest)]);
}

/** `cents` and `vingts` have no s in front of `mille`. */
const beforeMille = (words: string): string => words.replace(/(cent|quatre-vingt)s$/, '$1');

function frenchBelowMillion(value: number): string {
  const [thousands, rest] = split(value, 1000);
  const mille = thousands > 1 ? `${beforeMille(frenchBelowThousand(thousands))} mille` : 'mille';
  return joined([thousands > 0 ? mille : '', frenchBelowThousand(rest)]);
}

const FRENCH_SCALES = [
  scale(BILLION, 'un billion', 'billions'),
  scale(MILLIARD, 'un milliard', 'milliards'),
  scale(MILLION, 'un million', 'millions'),
];

// Italian

const IT = [
  ...[
    '',
    'uno',
    'due',
    'tre',
    'quattro',
    'cinque',
    'sei',
    'sette',
    'otto',
    'nove',
    'dieci',
    'undici',
    'dodici',
  ],
  ...['tredici', 'quattordici', 'quindici', 'sedici', 'diciassette', 'diciotto', 'diciannove'],
];
const IT_TENS = [
  ...['', '', 'venti', 'trenta', 'quaranta', 'cinquanta', 'sessanta', 'settanta', 'ottanta', 'novanta'],
];

function italianBelowThousand(value: number): string {
  const [hundreds, rest] = split(value, 100);
  const [tens, ones] = split(rest, 10);
  const ten = IT_TENS[tens] ?? '';
  // The vowel goes in front of "uno" and "otto": ventuno, ventotto.
  const stem = ones === 1 || ones === 8 ? ten.slice(0, -1) : ten;
  const small = rest < 20 ? (IT[rest] ?? '') : `${stem}${IT[ones] ?? ''}`;
  const cento = hundreds > 1 ? `${IT[hundreds] ?? ''}cento` : hundreds === 1 ? 'cento' : '';
  return `${cento}${small}`;
}

/** `tre` at the end of a longer word has an accent. */
const accented = (word: string): string => word.replace(/(.)tre$/, '$1tré');

function italianBelowMillion(value: number): string {
  const [thousands, rest] = split(value, 1000);
  const mille = thousands > 1 ? `${italianBelowThousand(thousands)}mila` : thousands === 1 ? 'mille' : '';
  return accented(`${mille}${italianBelowThousand(rest)}`);
}

const ITALIAN_SCALES = [
  scale(BILLION, 'un bilione', 'bilioni'),
  scale(MILLIARD, 'un miliardo', 'miliardi'),
  scale(MILLION, 'un milione', 'milioni'),
];

// Dutch

const NL = [
  ...['', 'een', 'twee', 'drie', 'vier', 'vijf', 'zes', 'zeven', 'acht', 'negen', 'tien', 'elf', 'twaalf'],
  ...['dertien', 'veertien', 'vijftien', 'zestien', 'zeventien', 'achttien', 'negentien'],
];
const NL_TENS = [
  '',
  '',
  'twintig',
  'dertig',
  'veertig',
  'vijftig',
  'zestig',
  'zeventig',
  'tachtig',
  'negentig',
];

function dutchBelowThousand(value: number): string {
  const [hundreds, rest] = split(value, 100);
  const [tens, ones] = split(rest, 10);
  // A second e would be read together with the first one: tweeëntwintig.
  const and = ones === 2 || ones === 3 ? 'ën' : 'en';
  const small =
    rest < 20 ? (NL[rest] ?? '') : `${ones > 0 ? `${NL[ones] ?? ''}${and}` : ''}${NL_TENS[tens] ?? ''}`;
  const honderd = hundreds > 1 ? `${NL[hundreds] ?? ''}honderd` : hundreds === 1 ? 'honderd' : '';
  return `${honderd}${small}`;
}

/** The number one, alone, has accents, so that it is not read as the article. */
const one = (word: string): string => (word === 'een' ? 'één' : word);

function dutchBelowMillion(value: number): string {
  const [thousands, rest] = split(value, 1000);
  const duizend =
    thousands > 1 ? `${dutchBelowThousand(thousands)}duizend` : thousands === 1 ? 'duizend' : '';
  return joined([duizend, one(dutchBelowThousand(rest))]);
}

const DUTCH_SCALES = [
  scale(BILLION, 'één biljoen', 'biljoen'),
  scale(MILLIARD, 'één miljard', 'miljard'),
  scale(MILLION, 'één miljoen', 'miljoen'),
];

const LANGUAGES: Readonly<Record<WordLanguage, Language>> = {
  de: {
    number: (value) => (value === 1 ? 'ein' : withScales(value, GERMAN_SCALES, germanBelowMillion, 'null')),
    and: 'und',
    currencies: {
      eur: { whole: same('Euro'), part: same('Cent') },
      chf: { whole: same('Schweizer Franken'), part: same('Rappen') },
      usd: { whole: same('US-Dollar'), part: same('Cent') },
      cad: { whole: same('kanadische Dollar'), part: same('Cent') },
    },
  },
  en: {
    number: (value) => withScales(value, ENGLISH_SCALES, englishBelowMillion, 'zero'),
    and: 'and',
    currencies: {
      eur: { whole: plural('euro'), part: plural('cent') },
      chf: { whole: plural('Swiss franc'), part: plural('centime') },
      usd: { whole: plural('dollar'), part: plural('cent') },
      cad: { whole: plural('Canadian dollar'), part: plural('cent') },
    },
  },
  es: {
    number: (value) => withScales(value, SPANISH_SCALES, spanishBelowMillion, 'cero'),
    and: 'con',
    of: (noun) => `de ${noun}`,
    currencies: {
      eur: { whole: plural('euro'), part: plural('céntimo') },
      chf: { whole: plural('franco suizo', 'francos suizos'), part: plural('céntimo') },
      usd: { whole: plural('dólar', 'dólares'), part: plural('centavo') },
      cad: { whole: plural('dólar canadiense', 'dólares canadienses'), part: plural('centavo') },
    },
  },
  fr: {
    number: (value) => withScales(value, FRENCH_SCALES, frenchBelowMillion, 'zéro'),
    and: 'et',
    of: (noun) => (/^[aeiou]/i.test(noun) ? `d’${noun}` : `de ${noun}`),
    currencies: {
      eur: { whole: plural('euro'), part: plural('centime') },
      chf: { whole: plural('franc suisse', 'francs suisses'), part: plural('centime') },
      usd: { whole: plural('dollar'), part: plural('cent') },
      cad: { whole: plural('dollar canadien', 'dollars canadiens'), part: plural('cent') },
    },
  },
  it: {
    number: (value) => (value === 1 ? 'un' : withScales(value, ITALIAN_SCALES, italianBelowMillion, 'zero')),
    and: 'e',
    of: (noun) => `di ${noun}`,
    currencies: {
      eur: { whole: same('euro'), part: plural('centesimo', 'centesimi') },
      chf: { whole: plural('franco svizzero', 'franchi svizzeri'), part: plural('centesimo', 'centesimi') },
      usd: { whole: plural('dollaro', 'dollari'), part: plural('centesimo', 'centesimi') },
      cad: { whole: plural('dollaro canadese', 'dollari canadesi'), part: plural('centesimo', 'centesimi') },
    },
  },
  nl: {
    number: (value) => withScales(value, DUTCH_SCALES, dutchBelowMillion, 'nul'),
    and: 'en',
    currencies: {
      eur: { whole: same('euro'), part: same('cent') },
      chf: { whole: same('Zwitserse frank'), part: same('rappen') },
      usd: { whole: same('dollar'), part: same('cent') },
      cad: { whole: same('Canadese dollar'), part: same('cent') },
    },
  },
};

/**
 * Writes out an amount, such as "einhundertdreiundzwanzig Euro und fünfundvierzig Cent". A currency without words in the language
 * keeps its code, and its decimals stay in figures: "einhundertdreiundzwanzig SEK und 45/100".
 * @param minor minor units, not negative
 * @param currency ISO 4217, in lower case
 * @throws RangeError for an amount below 0, or of a thousand billions and more
 */
export function amountInWords(minor: bigint, currency: string, language: WordLanguage): string {
  const exponent = currencyExponent(currency);
  const base = 10n ** BigInt(exponent);
  const [whole, part] = [Number(minor / base), Number(minor % base)];
  if (minor < 0n || whole >= 1000 * BILLION) throw new RangeError('The amount cannot be written out');
  const { number, and, of, currencies } = LANGUAGES[language];
  const words = Object.hasOwn(currencies, currency) ? currencies[currency] : undefined;
  const names = words?.whole ?? same(currency.toUpperCase());
  const noun = whole === 1 ? names[0] : names[1];
  // "un million d’euros", but "un million dix euros"
  const isFullMillions = whole >= MILLION && whole % MILLION === 0;
  const units = `${number(whole)} ${isFullMillions && of ? of(noun) : noun}`;
  if (part === 0) return units;
  const hundredths =
    words === undefined
      ? `${String(part).padStart(exponent, '0')}/${base}`
      : `${number(part)} ${part === 1 ? words.part[0] : words.part[1]}`;
  return `${units} ${and} ${hundredths}`;
}
