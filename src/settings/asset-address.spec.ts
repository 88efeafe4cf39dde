import { describe, expect, it } from '@jest/globals';
import { assetNameProblem, assetProblem, foreignOrigin } from './asset-address.js';

describe('assetProblem()', () => {
  it.each([
    'https://cdn.example.org/logo.svg',
    'https://cdn.example.org:8443/a%20b.png?v=2#x',
    'https://xn--bcher-kva.example/logo.png',
    '/assets/logo.svg',
    '/logo.png?v=2',
  ])('accepts the address %s', (address) => {
    expect(assetProblem(address)).toBeUndefined();
  });

  it.each([
    'http://cdn.example.org/logo.svg',
    'javascript:alert(1)',
    'data:image/svg+xml;base64,AAAA',
    'ftp://example.org/x',
    'file:///etc/passwd',
    '//evil.example/logo.png',
    '/\\evil.example/logo.png',
    'https:evil.example',
    'https:///evil.example',
    'https://user:secret@example.org/x',
    'https://',
    'logo.svg',
    '../logo.svg',
    '',
    'https://example.org/a b',
    'https://example.org/a"onerror="x',
    "https://example.org/a'b",
    'https://example.org/<script>',
    'https://example.org/a)',
    'https://example.org/a\nb',
    '/a\u0000b',
    '/\u202Egnp.exe',
    `https://example.org/${'x'.repeat(2048)}`,
    7,
    null,
  ])('rejects the address %j', (address) => {
    expect(assetProblem(address)).toBeDefined();
  });
});

describe('assetNameProblem()', () => {
  it.each(['logo', 'heroImage', 'og-image_2'])('accepts the name %s', (name) => {
    expect(assetNameProblem(name)).toBeUndefined();
  });

  it.each(['', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '1st', 'a b', 'x'.repeat(65)])(
    'rejects the name %j',
    (name) => {
      expect(assetNameProblem(name)).toBeDefined();
    },
  );
});

describe('foreignOrigin()', () => {
  it('returns one plain host or nothing, so that an address cannot add words to a policy', () => {
    expect(foreignOrigin('https://cdn.example.org/logo.svg')).toBe('https://cdn.example.org');
    expect(foreignOrigin('https://cdn.example.org:8443/logo.svg')).toBe('https://cdn.example.org:8443');
    for (const address of [
      "https://a.example;script-src/'unsafe-inline'",
      'https://a.example;script-src',
      'https://a.example,default-src/x',
      'https://*/x',
      'http://cdn.example.org/logo.svg',
      '/logo.svg',
      undefined,
    ])
      expect(foreignOrigin(address)).toBeUndefined();
  });

  it('relies on assetProblem(), which rejects an unsafe host when the address is set', () => {
    expect(assetProblem('https://a.example;script-src/x')).toBeDefined();
    expect(assetProblem('https://a.example,b/x')).toBeDefined();
    expect(assetProblem('https://bücher.example/logo.svg')).toBeUndefined();
  });
});
