import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { contrastOf, READABLE } from '../../src/settings/contrast.js';
import { readCssColour } from '../../src/settings/css-colour.js';
import { paletteProperties, USED_TOGETHER } from '../../src/settings/palette.js';

const SHEETS = readdirSync('web', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => [path, readFileSync(`web/${path}`, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')] as const);
const COLOUR = /(?<![-\w])color: ([^;]+);/;
const BACKGROUND = /(?<![-\w])background(?:-color)?: (?:var\(--([\w-]+)\)|(#\w+));/;
const TOKEN = /^var\(--([\w-]+)\)$/;
const INHERITED = new Set(['inherit', 'transparent', 'currentcolor', 'canvastext']);
/** A script of the table sets these variables. */
const BY_SCRIPT = ['--columns'];

const pairs = new Set(USED_TOGETHER.map(([front, back]) => `${front} on ${back}`));
const fronts = new Set<string>(USED_TOGETHER.map(([front]) => front));

/** Rules that set a text colour: the sheet, and the token or literal of the text and of the background. */
const rules = SHEETS.flatMap(([path, text]) =>
  [...text.matchAll(/\{([^{}]*)\}/g)].flatMap(([, body = '']) => {
    const colour = COLOUR.exec(body)?.[1]?.trim();
    if (colour === undefined || INHERITED.has(colour.toLowerCase())) return [];
    const [, token, literal] = BACKGROUND.exec(body) ?? [];
    return [{ path, colour, front: TOKEN.exec(colour)?.[1], back: token, literal }];
  }),
);

describe('the style sheets', () => {
  it('use text colours only if their contrast is checked', () => {
    expect(rules.length).toBeGreaterThan(50);
    expect(rules.filter(({ front }) => front !== undefined && !fronts.has(front))).toEqual([]);
  });

  it('use readable text colours on a fixed background, which is white for print, receipts and codes', () => {
    const fixed = rules.filter(({ front }) => front === undefined);
    expect(fixed.length).toBeGreaterThan(3);
    const faint = fixed.filter(
      ({ colour, literal = '#fff' }) =>
        contrastOf(readCssColour(colour)!, readCssColour(literal)!) < READABLE,
    );
    expect(faint).toEqual([]);
  });

  it('use each text colour only on backgrounds for which the contrast is checked', () => {
    const unchecked = rules.filter(
      ({ front, back }) => front !== undefined && back !== undefined && !pairs.has(`${front} on ${back}`),
    );
    expect(unchecked).toEqual([]);
  });

  it('use only colours that the server adds to each page, and mix none in the browser', () => {
    const known = new Set([...Object.keys(paletteProperties({}, 'light')), ...BY_SCRIPT]);
    const declared = new Set(SHEETS.flatMap(([, text]) => text.match(/--[\w-]+(?=:)/g) ?? []));
    const unknown = SHEETS.flatMap(([path, text]) =>
      [...text.matchAll(/var\((--[\w-]+)\)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !known.has(name) && !declared.has(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(SHEETS.filter(([, text]) => text.includes('color-mix')).map(([path]) => path)).toEqual([]);
  });
});
