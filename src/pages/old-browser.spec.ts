import { readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { OLDEST_BROWSERS, oldBrowserCheck, oldBrowserNote } from './old-browser.js';

const PAGES = Object.keys(OLDEST_BROWSERS);

/** Runs the check of a page in a browser with the given globals. Returns true if the page counts as too old. */
function isTooOld(page: string, globals: Record<string, unknown>): boolean {
  const marks = new Map<string, string>();
  const document = {
    documentElement: { setAttribute: (name: string, value: string) => marks.set(name, value) },
    getElementById: () => null,
  };
  const code = /<script>(.*)<\/script>/.exec(oldBrowserCheck(page)?.script.text ?? '')?.[1] ?? '';
  runInNewContext(code, { ...globals, window: globals, document });
  return marks.get('data-browser') === 'old';
}

const withStyles = (...known: string[]) => ({ supports: (property: string) => known.includes(property) });

describe('the check for browsers that are too old', () => {
  it.each(PAGES)('runs on %s without any newer interface', (page) => {
    expect(isTooOld(page, {})).toBe(true);
    expect(isTooOld(page, { CSS: {}, AbortSignal: {} })).toBe(true);
  });

  it.each([
    ['donate', { CSS: withStyles('aspect-ratio') }],
    ['pos', { CSS: withStyles('aspect-ratio') }],
    ['wall', { CSS: withStyles('inset') }],
    ['admin', { AbortSignal: { timeout: () => undefined } }],
  ])('accepts the oldest browsers of %s', (page, globals) => {
    expect(isTooOld(page, globals)).toBe(false);
  });

  it.each(PAGES)('is allowed by the policy of %s', (page) => {
    const { script, source } = oldBrowserCheck(page) ?? {};
    const code = script?.text.slice('<script>'.length, -'</script>'.length) ?? '';
    expect(source).toBe(`'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  });

  it('names the browsers that web/README.md states', () => {
    const readme = readFileSync('web/README.md', 'utf8');
    const versions = (...pages: string[]) =>
      new RegExp(`\\| ${pages.join(', ')} .*\\|\\n`).exec(readme)?.[0].match(/\d+/g) ?? [];
    const stated = (page: string) => OLDEST_BROWSERS[page]?.browsers.map((one) => /\d+/.exec(one)?.[0]);
    expect(stated('donate')).toEqual(versions('donate page', 'till'));
    expect(stated('stage')).toEqual(versions('speaker'));
    expect(stated('pos')).toEqual(versions('donate page', 'till'));
    expect(stated('admin')).toEqual(versions('dashboard'));
    expect(stated('wall')).toEqual(versions('wall', 'overlay'));
  });

  it.each([
    ['admin', 'boot.oldBrowser'],
    ['pos', 'oldBrowser'],
    ['wall', 'oldBrowser'],
    ['stage', 'oldBrowser'],
    ['donate', 'oldBrowserNoWay'],
  ])('the note on %s names the browsers in every language', (page, key) => {
    for (const file of readdirSync(`web/${page}/texts`)) {
      const texts = JSON.parse(readFileSync(`web/${page}/texts/${file}`, 'utf8')) as Record<string, string>;
      const { text } = oldBrowserNote(page, texts[key]);
      expect([file, text]).toEqual([
        file,
        expect.stringContaining(OLDEST_BROWSERS[page]?.browsers.join(', ') ?? '-'),
      ]);
      expect(text).not.toContain('{');
    }
  });
});
