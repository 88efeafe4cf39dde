import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { assertDistinct } from './provider-definition.js';
import { PROVIDERS } from './provider-registry.js';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Files outside the provider's folder that may use its name, with the reason. */
const ALLOWED: readonly [where: RegExp, reason: string][] = [
  [/^config\/known-variables\.ts$/, 'names of variables, to detect typing errors'],
  [/^payments\/providers\/provider-registry\.ts$/, 'the list of providers'],
  [/^payments\/providers\/stripe\/stripe-facts\.ts$/, 'one provider is a payment method of the other'],
  [/^donations\/store\/method-names\.ts$/, 'one provider is a payment method of the other'],
  [/^pages\//, 'the content security policy names the hosts of payment forms'],
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

  it('uses the two webhook paths of the interface specification', () => {
    expect(PROVIDERS.slice(0, 2).map(({ type, webhook }) => [type, webhook.path])).toEqual([
      ['card', 'cardprocessor'],
      ['wallet', 'wallet'],
    ]);
  });
});

describe('assertDistinct()', () => {
  const [one, other] = PROVIDERS;
  if (!one || !other) throw new Error('The registry is empty');

  it.each([
    [
      'a name',
      [one, { ...other, name: one.name, environment: one.environment }],
      'Two payment providers have the',
    ],
    ['a webhook path', [one, { ...other, webhook: one.webhook }], 'Two payment providers have the'],
  ])('throws if two providers share %s', (_, list, message) => {
    expect(() => {
      assertDistinct(list);
    }).toThrow(message);
  });

  it.each([
    ['a name that differs from its section', { ...one, name: 'other' }],
    ['a name with a space', { ...one, name: 'a b', environment: { ...one.environment, name: 'a b' } }],
    ['a webhook path of two segments', { ...one, webhook: { ...one.webhook, path: 'a/b' } }],
  ])('throws if a provider has %s', (_, definition) => {
    expect(() => {
      assertDistinct([definition]);
    }).toThrow(definition.name);
  });

  it('accepts the built-in providers', () => {
    expect(() => {
      assertDistinct(PROVIDERS);
    }).not.toThrow();
  });
});
