import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { styleNameProblem, styleValueProblem } from './style-value.js';

describe('styleValueProblem()', () => {
  it.each([
    '#fff',
    '#0A7C66',
    '#0a7c66cc',
    'rebeccapurple',
    'rgb(10, 124, 102)',
    'rgb(10 124 102 / 50%)',
    'hsl(120deg 50% 50%)',
    'oklch(0.7 0.1 200)',
    'color-mix(in srgb, #fff 20%, var(--brand-color))',
    '12px',
    '0',
    '-1.5rem',
    '.5em',
    '100%',
    '1.4',
    '200ms',
    'bold',
    'ease-in-out',
    '1px solid #ccc',
    '0 1px 2px rgba(0, 0, 0, 0.2)',
    'Inter, "Helvetica Neue", sans-serif',
    "'Noto Sans JP', sans-serif",
    '"Źródło 4"',
    '16 / 9',
    'var(--space, 4px)',
    'calc(100% - 2 * 4px)',
    'calc((1rem + 2px) * 3)',
    'clamp(1rem, 2vw + 1rem, 3rem)',
    '  #fff  ',
  ])('accepts the value %s', (value) => {
    expect(styleValueProblem(value)).toBeUndefined();
  });

  it.each([
    '',
    '   ',
    'red; background: blue',
    'red}body{display:none',
    'url(https://evil.example/x.png)',
    'URL(x)',
    'u\\72l(x)',
    'image-set("x" 1x)',
    'image(x)',
    'src(x)',
    'element(x)',
    'attr(x)',
    'env(x)',
    'expression(alert(1))',
    '-moz-binding(x)',
    'javascript:alert(1)',
    '</style><script>',
    '<!--',
    '@import "x"',
    'red !important',
    '/* comment */ red',
    'red /* comment */',
    '"a;b"',
    '"a',
    '\'a"',
    '"a\\"',
    '"a<b"',
    '#ff',
    '#fffff',
    '#ggg',
    '12furlongs',
    '1e3',
    'rgb(1, 2',
    'rgb(1, 2))',
    'rgb()',
    'a,,b',
    ', a',
    'a,',
    '/ a',
    'a//b',
    '--x',
    '1 + 2',
    'calc(1px;2px)',
    'var(x) {',
    'a\nb',
    'a\tb',
    'a\u0000b',
    'é'.repeat(3),
    'x'.repeat(201),
    'calc('.repeat(10) + '1' + ')'.repeat(10),
  ])('rejects the value %j', (value) => {
    expect(styleValueProblem(value)).toBeDefined();
  });

  it.each([7, null, true, ['red'], { a: 'red' }])('rejects the value %j, which is not a text', (value) => {
    expect(styleValueProblem(value)).toBe('must be a string');
  });

  it('rejects every value that could leave its declaration after it is trimmed', () => {
    const pieces = fc.constantFrom(
      ...[
        'red',
        '#fff',
        '1px',
        'url(',
        'rgb(',
        'calc(',
        'var(',
        '--a',
        '(',
        ')',
        ',',
        '/',
        '*',
        '+',
        ' ',
        ';',
        '{',
        '}',
      ],
      ...['<', '>', '\\', '@', '!', ':', '"', "'", '/*', '*/', '\n', 'x', '10%'],
    );
    const value = fc
      .array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(value, (text) => {
        if (styleValueProblem(text) === undefined)
          expect(text.trim()).not.toMatch(/[;{}<>\\@!:\n]|url\s*\(|\/\*|\*\//i);
      }),
      { numRuns: 5_000 },
    );
  });

  it('checks any value in a short time', () => {
    const started = performance.now();
    for (const value of [
      '('.repeat(200),
      'a'.repeat(200),
      'a '.repeat(100),
      '-'.repeat(200),
      '1'.repeat(200) + 'x',
    ])
      styleValueProblem(value);
    expect(performance.now() - started).toBeLessThan(50);
  });
});

describe('styleNameProblem()', () => {
  it.each(['--brand-color', '--a', '--A_b-9', `--${'x'.repeat(64)}`])('accepts the name %s', (name) => {
    expect(styleNameProblem(name)).toBeUndefined();
  });

  it.each([
    'brand',
    '-brand',
    '--',
    '--a b',
    '--a;b',
    '--ä',
    `--${'x'.repeat(65)}`,
    '__proto__',
    'constructor',
    '',
    '--a\n',
  ])('rejects the name %j', (name) => {
    expect(styleNameProblem(name)).toBeDefined();
  });
});
