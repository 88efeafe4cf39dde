import { describe, expect, it } from '@jest/globals';
import { slugProblem } from './event-slug.js';

describe('slugProblem()', () => {
  it.each(['a', '7', 'summer-gala', 'gala-2026-no-1', 'a'.repeat(100)])('accepts %s', (slug) => {
    expect(slugProblem(slug)).toBeUndefined();
  });

  it.each([
    '',
    'Gala',
    '-a',
    'a-',
    'a--b',
    'a_b',
    'a b',
    'gälä',
    'a/b',
    'a\n',
    'a'.repeat(101),
    'public',
    'new',
    '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    7,
    null,
    undefined,
  ])('rejects %j', (slug) => {
    expect(slugProblem(slug)).toBeDefined();
  });
});
