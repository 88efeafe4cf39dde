import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { assertDistinct } from './provider-definition.js';
import { PROVIDERS } from './provider-registry.js';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where a provider's name may stand, besides its own folder, with the reason. */
const ALLOWED: readonly [where: RegExp, reason: string][] = [
  [/^config\/known-variables\.ts$/, 'the names of variables that a slip may have meant'],
  [/^payments\/providers\/provider-registry\.ts$/, 'the list of them'],
  [/^pages\//, 'the content policy of a page names the hosts of the payment forms that it shows'],
  [/\.spec\.ts$/, 'tests use real examples'],
];

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) yield path;
    else if (entry.name !== 'generated') yield* filesBelow(path);
  }
}

describe('the registry of payment providers', () => {
  it.each(PROVIDERS.map(({ name }) => name))('is the only common code that knows the name %s', (name) => {
    const naming = [...filesBelow(SRC)]
      .filter((file) => readFileSync(file, 'utf8').toLowerCase().includes(name))
      .map((file) => relative(SRC, file).replaceAll('\\', '/'));
    const own = naming.filter((file) => file.startsWith(`payments/providers/${name}/`));
    expect(own.length).toBeGreaterThan(3);
    const common = naming.filter((file) => !own.includes(file));
    expect(common.filter((file) => !ALLOWED.some(([where]) => where.test(file)))).toEqual([]);
  });

  it('keeps the two webhook paths that the interface specification names', () => {
    expect(PROVIDERS.slice(0, 2).map(({ type, webhook }) => [type, webhook.path])).toEqual([
      ['card', 'cardprocessor'],
      ['wallet', 'wallet'],
    ]);
  });
});

describe('a list of payment providers', () => {
  const [one, other] = PROVIDERS;
  if (!one || !other) throw new Error('The registry is empty');

  it.each([
    [
      'a name',
      [one, { ...other, name: one.name, environment: one.environment }],
      'Two payment providers have the',
    ],
    ['a webhook path', [one, { ...other, webhook: one.webhook }], 'Two payment providers have the'],
  ])('in which two have %s in common stops the start', (_, list, message) => {
    expect(() => {
      assertDistinct(list);
    }).toThrow(message);
  });

  it.each([
    ['a name that its section does not have', { ...one, name: 'other' }],
    ['a name with a space', { ...one, name: 'a b', environment: { ...one.environment, name: 'a b' } }],
    ['a webhook path of two segments', { ...one, webhook: { ...one.webhook, path: 'a/b' } }],
  ])('with %s stops the start', (_, definition) => {
    expect(() => {
      assertDistinct([definition]);
    }).toThrow(definition.name);
  });

  it('of this service stands', () => {
    expect(() => {
      assertDistinct(PROVIDERS);
    }).not.toThrow();
  });
});
