import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl'];
const pages = readdirSync('web', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(`web/${entry.name}`).includes('texts'))
  .map(({ name }) => name);
const table = (page: string, language: string) =>
  JSON.parse(readFileSync(`web/${page}/texts/${language}.json`, 'utf8')) as Record<string, string>;
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe.each(pages)('the texts of the page %s', (page) => {
  it.each(LANGUAGES)('are complete in %s, with the same placeholders', (language) => {
    const english = table(page, 'en');
    const texts = table(page, language);
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim()).not.toBe('');
      expect({ key, placeholders: placeholders(text) }).toEqual({
        key,
        placeholders: placeholders(english[key] ?? ''),
      });
    }
  });
});
