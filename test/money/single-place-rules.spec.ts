import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { LOCK_EVENT, RECORD } from '../../src/donations/recording/donation-recorder.sql.js';
import { NAMES, RULES } from './single-place-rules.js';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../../src');

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.startsWith('data/generated/'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

/** True if the code uses the name. Comments and texts may contain every name. */
function uses(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  const visit = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && node.text === name) || (ts.forEachChild(node, visit) ?? false);
  return visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
}

describe('rules about money and privacy', () => {
  it.each(RULES)('the listed file contains the rule once: $rule', ({ file, from, spec }) => {
    const text = sources.find(({ path }) => path === file)?.text ?? '';
    expect(text.split(from)).toHaveLength(2);
    expect(existsSync(join(SRC, spec))).toBe(true);
  });

  it.each(Object.entries(NAMES))('only the listed files use %s', (name, files) => {
    const found = sources.filter(({ text }) => uses(text, name)).map(({ path }) => path);
    expect(found.sort()).toEqual([...files].sort());
  });
});

describe('SQL statements of records', () => {
  it('the insert statement reads no setting, state or limit', () => {
    expect(RECORD.text).not.toMatch(/CASE|BETWEEN|settings|overrides|moderat|'COMPLETED'|'held'|\bdate\b/);
  });

  it('the read statement locks the event and filters only by its id', () => {
    expect(LOCK_EVENT.text).toMatch(/FOR KEY SHARE OF event$/);
    expect(LOCK_EVENT.text).toMatch(/FROM event WHERE event\.id = \$1 FOR/);
  });
});
