import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { codesInSource } from './error-codes.js';

const listed = [
  ...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z0-9_*]+)`\s+\| (\d{3}) /gm),
].map(([, code]) => code ?? '');

describe('docs/errors.md', () => {
  const inSource = codesInSource();

  it('docs/errors.md lists every error code in the source', () => {
    expect(inSource.size).toBeGreaterThan(60);
    expect([...inSource].filter(([code]) => !listed.includes(code))).toEqual([]);
  });

  it('docs/errors.md lists no removed error code and no code twice', () => {
    expect(listed.filter((code) => !inSource.has(code))).toEqual([]);
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
  });
});
