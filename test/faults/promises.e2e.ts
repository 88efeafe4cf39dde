import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Returns the tests that `docs/payments.md` names. The page writes a path in backticks, then titles in curly quotes. */
function namedTests(text: string): [path: string, name: string][] {
  const named: [string, string][] = [];
  let path = '';
  for (const [, file, name] of text.replace(/\s+/g, ' ').matchAll(/`([^`]+)`|“([^”]+)”/g))
    if (name !== undefined) named.push([path, name]);
    else if (file?.endsWith('.e2e.ts')) path = file;
  return named;
}

describe('docs/payments.md', () => {
  const named = namedTests(readFileSync('docs/payments.md', 'utf8'));

  it('docs/payments.md names more than thirty tests', () => {
    expect(named.length).toBeGreaterThan(30);
  });

  it.each(named)('%s has a test named “%s”', (path, name) => {
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(name);
  });
});
