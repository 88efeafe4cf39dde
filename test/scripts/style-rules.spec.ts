import { describe, expect, it } from '@jest/globals';
import { ESLint } from 'eslint';

const lint = new ESLint();

/** Returns true if the lint of the style sheets refuses a piece of CSS on a page. */
async function isRefused(page: string, css: string): Promise<boolean> {
  const [result] = await lint.lintText(css, { filePath: `web/${page}/page.css` });
  return result?.messages.some(({ ruleId }) => ruleId === 'css/use-baseline') ?? false;
}

describe('the lint of the style sheets', () => {
  it.each([
    'a { color: color-mix(in srgb, red, blue); }',
    'a { color: light-dark(red, blue); }',
    'a:has(b) { color: red; }',
    'a { & b { color: red; } }',
    'a { height: 100dvh; }',
    'a { field-sizing: content; }',
    '@layer one { a { color: red; } }',
    '@container (width > 1px) { a { color: red; } }',
  ])('refuses on every page: %s', async (css) => {
    for (const page of ['donate', 'pos', 'wall', 'admin', 'desk', 'kit', 'start'])
      expect([page, await isRefused(page, css)]).toEqual([page, true]);
  });

  it.each([
    ['a:is(b, c) { color: red; }', ['kit', 'wall']],
    ['a { aspect-ratio: 1; }', ['kit', 'wall', 'donate', 'pos']],
    ['@supports (height: 100dvh) { a { height: 100dvh; } }', []],
    ['a { overflow-wrap: anywhere; }', []],
  ] as const)('knows the oldest browsers of each page: %s', async (css, refused) => {
    const found: string[] = [];
    for (const page of ['kit', 'wall', 'donate', 'pos', 'admin'])
      if (await isRefused(page, css)) found.push(page);
    expect(found).toEqual(refused);
  });
});
