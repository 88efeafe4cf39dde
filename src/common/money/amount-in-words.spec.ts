import { describe, expect, it } from '@jest/globals';
import { readEuros, readNumber } from '../../../test/support/read-amount.js';
import { amountInWords, WORD_LANGUAGES } from './amount-in-words.js';

describe('an amount in words', () => {
  it.each([
    ['de', 12345, 'einhundertdreiundzwanzig Euro und fünfundvierzig Cent'],
    ['de', 100, 'ein Euro'],
    ['de', 1, 'null Euro und ein Cent'],
    ['de', 101_700, 'eintausendsiebzehn Euro'],
    ['de', 132_200, 'eintausenddreihundertzweiundzwanzig Euro'],
    ['de', 10_100_000, 'einhunderteintausend Euro'],
    ['de', 234_567_800, 'zwei Millionen dreihundertfünfundvierzigtausendsechshundertachtundsiebzig Euro'],
    ['en', 25_000, 'two hundred fifty euros'],
    ['en', 2101, 'twenty-one euros and one cent'],
    ['es', 100, 'un euro'],
    ['es', 2100, 'veintiún euros'],
    ['es', 3100, 'treinta y un euros'],
    ['es', 10_000, 'cien euros'],
    ['es', 10_101, 'ciento un euros con un céntimo'],
    ['es', 100_000_000, 'un millón de euros'],
    ['es', 200_000_000_000, 'dos mil millones de euros'],
    ['fr', 5000, 'cinquante euros'],
    ['fr', 2100, 'vingt et un euros'],
    ['fr', 7100, 'soixante et onze euros'],
    ['fr', 8000, 'quatre-vingts euros'],
    ['fr', 8100, 'quatre-vingt-un euros'],
    ['fr', 9800, 'quatre-vingt-dix-huit euros'],
    ['fr', 20_000, 'deux cents euros'],
    ['fr', 20_100, 'deux cent un euros'],
    ['fr', 8_000_000, 'quatre-vingt mille euros'],
    ['fr', 20_000_000, 'deux cent mille euros'],
    ['fr', 20_000_000_000, 'deux cents millions d’euros'],
    ['fr', 100_001_000, 'un million dix euros'],
    ['it', 2300, 'ventitré euro'],
    ['it', 2100, 'ventuno euro'],
    ['it', 123_450, 'milleduecentotrentaquattro euro e cinquanta centesimi'],
    ['it', 300_300, 'tremilatré euro'],
    ['it', 100_000_000, 'un milione di euro'],
    ['nl', 100, 'één euro'],
    ['nl', 2200, 'tweeëntwintig euro'],
    ['nl', 250_050, 'tweeduizend vijfhonderd euro en vijftig cent'],
  ] as const)('is in %s for %d cents: %s', (language, cents, words) => {
    expect(amountInWords(BigInt(cents), 'eur', language)).toBe(words);
  });

  it.each(WORD_LANGUAGES)(
    'reads back as the same number in %s, for every seventh amount below 100,000',
    (language) => {
      for (let whole = 0; whole < 100_000; whole += 7) {
        const minor = whole * 100 + (whole % 100);
        const words = amountInWords(BigInt(minor), 'eur', language);
        if (readEuros(words, language) !== minor) throw new Error(`${minor}: ${words}`);
      }
    },
  );

  it.each(WORD_LANGUAGES)(
    'reads back as the same number in %s, at the borders of the large units',
    (language) => {
      for (const size of [1e3, 1e5, 1e6, 2e6, 1e7, 1e8, 1e9, 21e9, 1e12, 3e12])
        for (const near of [-1, 0, 1, 80, 1000, 81_000]) {
          const minor = (size + near) * 100;
          const words = amountInWords(BigInt(minor), 'eur', language);
          expect([minor, readEuros(words, language)]).toEqual([minor, minor]);
        }
    },
  );

  it('names the currencies of the receipts, and keeps the code and the figures of other currencies', () => {
    expect(amountInWords(25_050n, 'usd', 'en')).toBe('two hundred fifty dollars and fifty cents');
    expect(amountInWords(101n, 'cad', 'fr')).toBe('un dollar canadien et un cent');
    expect(amountInWords(205n, 'chf', 'de')).toBe('zwei Schweizer Franken und fünf Rappen');
    expect(amountInWords(12_305n, 'sek', 'de')).toBe('einhundertdreiundzwanzig SEK und 05/100');
    expect(amountInWords(12_000n, 'jpy', 'en')).toBe('twelve thousand JPY');
    expect(amountInWords(1_005n, 'bhd', 'en')).toBe('one BHD and 005/1000');
  });

  it('refuses an amount below zero or from a thousand billions', () => {
    expect(() => amountInWords(-1n, 'eur', 'de')).toThrow(RangeError);
    expect(() => amountInWords(10n ** 17n, 'eur', 'de')).toThrow(RangeError);
  });

  it('the reader of this test refuses words that it does not know', () => {
    expect(readNumber('einhundertdreiundzwanzig', 'de')).toBe(123);
    expect(() => readNumber('einhundertfünfundzwanzich', 'de')).toThrow('zwanzich');
    expect(() => readEuros('zwanzig Taler', 'de')).toThrow('No amount');
  });
});
