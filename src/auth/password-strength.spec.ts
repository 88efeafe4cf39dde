import { describe, expect, it, jest } from '@jest/globals';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { passwordProblem } from './password-strength.js';

const EMAIL = 'grace.hopper@harbour-lights.example';
const problem = (password: string) => passwordProblem(password, EMAIL);

describe('an admin password', () => {
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
  ])('is refused if it is easy to guess: %s', (password) => {
    expect(problem(password)).toMatch(/easy to guess/);
  });

  it.each(['correct horse battery staple', 'violin-quarry-umbrella', 'xK7#mQ2vT9pL', 'Möwen über dem Kanal'])(
    'is accepted if it is long or unusual enough: %s',
    (password) => {
      expect(problem(password)).toBeUndefined();
    },
  );

  it.each(['2011-11-11', 'p@55w0rd', '1234567890', '11.11.11'])(
    'is checked in pieces and refused quickly if it repeats %s',
    (part) => {
      const check = jest.spyOn(ZxcvbnFactory.prototype, 'check');
      expect(problem(part.repeat(10).slice(0, 72))).toMatch(/easy to guess/);
      const measured = check.mock.calls.map(([piece]) => piece.length);
      expect(Math.max(...measured)).toBeLessThanOrEqual(24);
      check.mockRestore();
    },
  );

  it('accepts a long password with a weak start and a strong end', () => {
    expect(problem(`${'password'.repeat(4)} violin-quarry-umbrella`)).toBeUndefined();
  });

  it('checks the length of a password first', () => {
    expect(problem('xK7#mQ2vT9p')).toBe('must be at least 12 characters');
    expect(problem(`${'violin quarry '.repeat(5)}umbrella`)).toBe('must be at most 72 bytes');
  });
});
