import { describe, expect, it } from '@jest/globals';
import { passwordProblem } from './password-strength.js';

const EMAIL = 'grace.hopper@harbour-lights.example';
const problem = (password: string) => passwordProblem(password, EMAIL);

describe('a password of an admin', () => {
  it.each([
    'aaaaaaaaaaaa',
    'abcdefghijkl',
    'password1234',
    'qwertyuiop12',
    '123456789012',
    'Donations2026!',
    EMAIL,
    'grace.hopper2026',
    'harbour-lights',
  ])('is refused when it is guessed early: %s', (password) => {
    expect(problem(password)).toMatch(/easy to guess/);
  });

  it.each(['correct horse battery staple', 'violin-quarry-umbrella', 'xK7#mQ2vT9pL', 'Möwen über dem Kanal'])(
    'is taken when it is long or strange enough: %s',
    (password) => {
      expect(problem(password)).toBeUndefined();
    },
  );

  it('is measured in length first', () => {
    expect(problem('xK7#mQ2vT9p')).toBe('must be at least 12 characters');
    expect(problem(`${'violin quarry '.repeat(5)}umbrella`)).toBe('must be at most 72 bytes');
  });
});
