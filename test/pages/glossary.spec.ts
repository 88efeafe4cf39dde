import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { statementWording } from '../../src/donors/statement-wording.js';
import { peopleWordingFor } from '../../src/export/people-wording.js';
import { emailWording } from '../../src/mail/content/email-wording.js';
import { wordingFor } from '../../src/receipts/receipt-wording.js';
import { summaryWordingFor } from '../../src/reporting/summary/summary-wording.js';

const glossary = readFileSync('web/texts/glossary.md', 'utf8');
const languages = [...glossary.matchAll(/^## (\w\w)$/gm)].map(([, language = '']) => language);

/** Returns the rows of a language's table: the thing, words to use, words to avoid. */
const rowsOf = (language: string) =>
  (glossary.split(`## ${language}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [thing = '', use = '', avoid = ''] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return { thing, use: words(use), avoid: words(avoid) };
    });

const words = (cell: string) => cell.split(/,\s*/).filter(Boolean);

/** Returns every text below `node`, with its path. */
const flatten = (node: unknown, path: string): [string, string][] =>
  typeof node === 'string'
    ? [[path, node]]
    : Object.entries(node as object).flatMap(([key, value]) => flatten(value, `${path}.${key}`));

const textsIn = (language: string): [string, string][] => [
  ...readdirSync('web', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(`web/${entry.name}`).includes('texts'))
    .flatMap(({ name }) =>
      flatten(JSON.parse(readFileSync(`web/${name}/texts/${language}.json`, 'utf8')), name),
    ),
  ...flatten(emailWording(language).wording, 'e-mail'),
  ...flatten(wordingFor(language).wording, 'receipt'),
  ...flatten(summaryWordingFor(language), 'summary'),
  ...flatten(peopleWordingFor(language), 'spreadsheet'),
  ...flatten(statementWording(language).wording, 'statement'),
];

/** Placeholders, and names that contain an ordinary word. The test ignores both. */
const NAMES = /Gift Aid|npm run \S+|\{\w+\}/g;

/** Returns a pattern that finds `word` as a whole word, also with a capital at the start of a sentence. */
const finder = (word: string) => {
  const [first = '', ...rest] = word;
  return new RegExp(
    `(?<![\\p{L}\\p{N}])[${first}${first.toUpperCase()}]${rest.join('')}(?![\\p{L}\\p{N}])`,
    'u',
  );
};

describe.each(languages)('the texts in %s', (language) => {
  const texts = textsIn(language);

  it('contain no word that the glossary replaces', () => {
    const avoided = rowsOf(language).flatMap(({ avoid }) =>
      avoid.map((word) => [word, finder(word)] as const),
    );
    expect(avoided.length).toBeGreaterThan(15);
    const wrong = texts.flatMap(([path, text]) =>
      avoided
        .filter(([, pattern]) => pattern.test(text.replace(NAMES, '')))
        .map(([word]) => `${path}: "${word}" in "${text}"`),
    );
    expect(wrong).toEqual([]);
  });

  it('use a word of the glossary for each thing', () => {
    const all = texts.map(([, text]) => text).join('\n');
    const unused = rowsOf(language).filter(
      ({ use }) => !use.some((word) => all.toLowerCase().includes(word.toLowerCase())),
    );
    expect(unused).toEqual([]);
  });
});

it('the glossary has a table for each language of the pages', () => {
  const pages = readdirSync('web/admin/texts').map((file) => file.replace('.json', ''));
  expect([...languages].sort()).toEqual(pages.sort());
});
