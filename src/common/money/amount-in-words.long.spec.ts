import { expect, it } from '@jest/globals';
import { readEuros } from '../../../test/support/read-amount.js';
import { amountInWords, WORD_LANGUAGES } from './amount-in-words.js';

/** A generator of whole numbers from a seed, so that a failure can be repeated (Park and Miller). */
function* seeded(seed: number): Generator<number, never> {
  for (let state = seed; ;) yield (state = (state * 48_271) % 2_147_483_647);
}

const RANDOM = 1_000_000;
const MOST = 99_999_999_999;

it.each(WORD_LANGUAGES)(
  'amounts in words read back as the same numbers in %s: all below 100,000, and random ones',
  (language) => {
    const wrong: string[] = [];
    const check = (minor: number) => {
      const words = amountInWords(BigInt(minor), 'eur', language);
      if (readEuros(words, language) !== minor) wrong.push(`${minor}: ${words}`);
    };
    for (let whole = 0; whole < 100_000; whole++) check(whole * 100);
    const random = seeded(20_261_128);
    // A sixth of the million for each of the six languages. Two draws, because one has fewer digits than the largest amount.
    for (let count = 0; count < RANDOM / WORD_LANGUAGES.length; count++)
      check((random.next().value * 100 + (random.next().value % 100)) % (MOST + 1));
    expect(wrong.slice(0, 5)).toEqual([]);
  },
  60_000,
);
