import { describe, expect, it } from '@jest/globals';
import { isISO31661Alpha2 } from 'class-validator';
import { addressLines, COUNTRIES, countryName, namedCountries } from './postal-address.js';
import { postcodeProblem, tidyPostcode } from './postcode.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

describe('the list of countries', () => {
  it('contains exactly the codes of ISO 3166-1 alpha-2, each with a name in every language of the pages', () => {
    const all = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
    expect(COUNTRIES).toEqual(all.filter((code) => isISO31661Alpha2(code)));
    for (const locale of ['en', 'de', 'fr', 'es', 'it', 'nl'])
      expect(namedCountries(locale).filter(({ code, name }) => name === code)).toEqual([]);
  });

  it('is sorted by the names in the language of the reader', () => {
    const german = namedCountries('de').map(({ name }) => name);
    expect(german.indexOf('Ägypten')).toBeLessThan(german.indexOf('Belgien'));
    expect(countryName('GB', 'de')).toBe('Vereinigtes Königreich');
  });
});

describe('addressLines', () => {
  const address = { line1: 'Main Street 1', line2: null, postcode: '12345', city: 'Town' };

  it.each([
    ['GB', ['Town', '12345']],
    ['IE', ['Town', '12345']],
    ['DE', ['12345 Town']],
    ['FR', ['12345 Town']],
    ['CH', ['12345 Town']],
    ['NL', ['12345 Town']],
    ['IT', ['12345 Town']],
    ['ES', ['12345 Town']],
    ['AT', ['12345 Town']],
    ['US', ['Town 12345']],
  ])('writes postcode and city in the order of %s', (country, place) => {
    expect(addressLines({ ...address, country }, 'en')).toEqual([
      'Main Street 1',
      ...place,
      countryName(country, 'en'),
    ]);
  });

  it('leaves out absent parts', () => {
    expect(addressLines({ ...address, line2: 'Flat 2', postcode: null, country: 'AE' }, 'en')).toEqual([
      'Main Street 1',
      'Flat 2',
      'Town',
      'United Arab Emirates',
    ]);
  });
});

describe('postcodes of the United Kingdom', () => {
  it.each(['SW1A 1AA', 'sw1a1aa', 'M1 1AE', 'b338th', 'CR2 6XH', 'DN55 1PT', 'GIR 0AA', 'je2 3ab'])(
    'accepts %s',
    (postcode) => {
      expect(postcodeProblem('GB', postcode)).toBeUndefined();
    },
  );

  it.each(['', '12345', 'SW1A', 'SW1A 1A', 'SW1A 1AAA', 'ABC1 1AA'])('refuses "%s"', (postcode) => {
    expect(postcodeProblem('GB', postcode)).toMatch(/^must be a United Kingdom postcode/);
  });

  it('writes a postcode in upper case with one space, and leaves other countries as they are', () => {
    expect(tidyPostcode('GB', ' sw1a  1aa')).toBe('SW1A 1AA');
    expect(tidyPostcode('NL', '1012 ab')).toBe('1012 ab');
    expect(postcodeProblem('DE', null)).toBeUndefined();
    expect(postcodeProblem('JE', null)).toBeDefined();
  });
});
