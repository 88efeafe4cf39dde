import { describe, expect, it } from '@jest/globals';
import { newCheckCode, readCheckCode } from './check-code.js';

describe('the code of a receipt', () => {
  it('has 20 characters that a person can type, and never repeats', () => {
    const codes = Array.from({ length: 1_000 }, newCheckCode);
    expect(new Set(codes).size).toBe(1_000);
    for (const code of codes) {
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{20}$/);
      expect(readCheckCode(code)).toBe(code);
    }
  });

  it('may be typed in small letters, with spaces, hyphens and letters that look like digits', () => {
    expect(readCheckCode('oil7zk3m-9qrst vwxya BC')).toBe('0117ZK3M9QRSTVWXYABC');
  });

  it.each(['', '7ZK3', 'U'.repeat(20), '0'.repeat(21), '0'.repeat(5_000), "' OR 1=1 --0000000000"])(
    'refuses %j',
    (typed) => {
      expect(readCheckCode(typed)).toBeUndefined();
    },
  );
});
