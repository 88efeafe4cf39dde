import { describe, expect, it } from '@jest/globals';
import { newId } from '../crypto/ids.js';
import { checkInCode, readCheckInCode } from './check-in-code.js';

describe('the check-in code of a guest', () => {
  it('comes from the end of the id, and is the same for every reader', () => {
    expect(checkInCode('01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2')).toBe(
      checkInCode('01937A5E-9E2B-7C31-8F40-5A7F0D1BE6C2'),
    );
    expect(checkInCode('00000000-0000-7000-8000-000000000000')).toBe('G00000000');
    expect(checkInCode('00000000-0000-7000-8000-00ffffffffff')).toBe('GZZZZZZZZ');
  });

  it('differs for 5,000 guests, and is read again', () => {
    const codes = Array.from({ length: 5_000 }, () => checkInCode(newId()));
    expect(new Set(codes).size).toBe(5_000);
    for (const code of codes.slice(0, 100)) expect(readCheckInCode(code)).toBe(code);
  });

  it.each([
    ['g7k3m9xq2', 'G7K3M9XQ2'],
    [' G7K3-M9XQ2 ', 'G7K3M9XQ2'],
    ['GO1IL0000', 'G01110000'],
    ['117', undefined],
    ['Mary Jones', undefined],
    ['G7K3M9XQ2A', undefined],
    ['', undefined],
  ])('reads %j as %s', (text, code) => {
    expect(readCheckInCode(text)).toBe(code);
  });
});
