import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  CHECKED_PAGES,
  CHECKED_RULES,
  LAST_CHECK,
  LIMITS,
  nameOfRules,
} from '../../src/pages/accessibility/checks.js';

type Page = (typeof CHECKED_PAGES)[number];

/** A test that checks each page: its file, and the address or the function that opens the page in it. */
const TESTS: Readonly<Record<Page, readonly [file: string, opens: string]>> = {
  start: ['test/pages/start.e2e.ts', 'page.goto(app.url)'],
  donate: ['test/pages/donate.e2e.ts', '/donate/'],
  pledge: ['test/pages/pledge-emails.e2e.ts', '/pledge/'],
  me: ['test/pages/me.e2e.ts', '/me`'],
  wall: ['test/pages/wall-looks.e2e.ts', '/wall/'],
  stage: ['test/pages/stage.e2e.ts', '/stage/'],
  pos: ['test/pages/pos.e2e.ts', '/pos'],
  admin: ['test/pages/admin-looks.e2e.ts', '/admin/'],
  notice: ['test/pages/start.e2e.ts', '/no-such-page'],
  accessibility: ['test/pages/start.e2e.ts', '/accessibility'],
};
const read = (path: string) => readFileSync(path, 'utf8');
const installed = JSON.parse(read('package.json')) as {
  version: string;
  devDependencies: Readonly<Record<string, string>>;
};

describe('the accessibility statement', () => {
  it('names every page that has its own folder', () => {
    const folders = readdirSync('web', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && readdirSync(`web/${entry.name}`).includes('page.css'))
      .map(({ name }) => name);
    expect(folders.filter((name) => !(CHECKED_PAGES as readonly string[]).includes(name))).toEqual([]);
  });

  it.each(CHECKED_PAGES)('names the page %s, which a browser test opens and checks', (page) => {
    const [file, opens] = TESTS[page];
    const test = read(file);
    expect(test).toContain(opens);
    expect(test).toMatch(/await accessibilityProblems\(/);
  });

  it('names the rules that the browser tests check', () => {
    expect(CHECKED_RULES.map(nameOfRules)).toEqual([
      'WCAG 2.0 A',
      'WCAG 2.0 AA',
      'WCAG 2.1 A',
      'WCAG 2.1 AA',
      'WCAG 2.2 AA',
    ]);
    expect(read('test/support/browser.ts')).toContain('rules: CHECKED_RULES');
  });

  it('has the version of this release and of the installed axe-core, so that a release renews the check', () => {
    expect(LAST_CHECK.version).toBe(installed.version);
    expect(LAST_CHECK.axe).toBe(installed.devDependencies['axe-core']);
    expect(new Date(LAST_CHECK.day).getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('has a text for every page and limit, and no text for another one', () => {
    const texts = JSON.parse(read('web/accessibility/texts/en.json')) as Record<string, string>;
    const keys = Object.keys(texts).filter((key) => /^(page|limit)\./.test(key));
    expect(keys.sort()).toEqual(
      [...CHECKED_PAGES.map((page) => `page.${page}`), ...LIMITS.map((limit) => `limit.${limit}`)].sort(),
    );
  });
});
