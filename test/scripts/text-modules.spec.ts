import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { packTexts } from '../../scripts/text-modules.mjs';
import { unpackTexts } from '../../web/kit/packed-texts.js';

const sourceOf = (page: string, language: string) =>
  JSON.parse(readFileSync(`web/${page}/texts/${language}.json`, 'utf8')) as Record<string, string>;

describe('packed texts', () => {
  it.each(
    ['admin', 'pos'].flatMap((page) =>
      ['de', 'en', 'es', 'fr', 'it', 'nl'].map((language) => [page, language] as const),
    ),
  )('the texts of the page %s in %s are the same after packing and unpacking', (page, language) => {
    const source = sourceOf(page, language);
    const packed = packTexts(source);
    expect(unpackTexts(packed)).toEqual(source);
    expect(packed.length).toBeLessThan(JSON.stringify(source).length);
  });

  it('a part that keys share is written once', () => {
    const texts = { 'a.b': 'One', 'a.c.d': 'Two {name}', b: 'Three', 'a.c.e': 'Four, {five}' };
    expect(packTexts(texts)).toBe('a{b,c{d,e}},b\nOne\nTwo {name}\nFour, {five}\nThree');
    expect(unpackTexts(packTexts(texts))).toEqual(texts);
  });

  it('a key can be the beginning of another key', () => {
    const texts = { 'state.a': 'One', state: 'Two', 'state.a.b': 'Three' };
    expect(unpackTexts(packTexts(texts))).toEqual(texts);
  });

  it.each([
    ['a{b', 'One'],
    ['a,b', 'One'],
    ['a..b', 'One'],
    ['', 'One'],
    ['a', 'Two\nlines'],
  ])('refuses a text that would be different after unpacking: %j, %j', (key, text) => {
    expect(() => packTexts({ [key]: text })).toThrow('cannot be packed');
  });
});
