import { describe, expect, it } from '@jest/globals';
import { KNOWN_METHODS, methodInWords } from './method-names.js';

describe('methodInWords()', () => {
  it.each([
    ['card', null, 'de', 'Karte'],
    ['card', 'google_pay', 'fr', 'Carte (Google Pay)'],
    ['ideal', null, 'nl', 'iDEAL'],
    ['sepa_debit', null, 'de', 'SEPA-Lastschrift'],
    ['bacs_debit', null, 'en', 'Bacs Direct Debit'],
    ['customer_balance', null, 'it', 'Bonifico'],
    ['paypal', null, 'ar', 'PayPal'],
    ['moon_pay', 'sun_wallet', 'es', 'moon_pay (sun_wallet)'],
    ['card', null, 'ja', 'Card'],
    ['constructor', null, 'en', 'constructor'],
    ['__proto__', 'toString', 'en', '__proto__ (toString)'],
  ])('names %s in %s for a reader of %s', (method, wallet, language, name) => {
    expect(methodInWords(method, wallet, language)).toBe(name);
  });

  it('names every known method in every language', () => {
    for (const language of ['en', 'de', 'fr', 'es', 'it', 'nl', 'ar'])
      expect(KNOWN_METHODS.filter((word) => methodInWords(word, null, language) === word)).toEqual([
        'eps',
        'giropay',
      ]);
  });
});
