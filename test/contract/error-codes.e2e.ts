import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { codesInSource } from './error-codes.js';

const listed = [
  ...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z0-9_*]+)`\s+\| (\d{3}) /gm),
].map(([, code]) => code ?? '');

describe('docs/errors.md', () => {
  const inSource = codesInSource();

  it('lists every code that the source makes an error with', () => {
    expect(inSource.size).toBeGreaterThan(60);
    expect([...inSource].filter(([code]) => !listed.includes(code))).toEqual([]);
  });

  it('lists no code that is gone, and none twice', () => {
    expect(listed.filter((code) => !inSource.has(code))).toEqual([]);
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
  });
});
