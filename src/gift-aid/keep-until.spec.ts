import { describe, expect, it } from '@jest/globals';
import { keepUntil } from './keep-until.js';

describe('keepUntil', () => {
  it.each([
    ['2026-04-05', '04-05', '2032-04-05'],
    ['2026-04-06', '04-05', '2033-04-05'],
    ['2026-12-31', '12-31', '2032-12-31'],
    ['2027-01-01', '12-31', '2033-12-31'],
    ['2028-02-29', '03-31', '2034-03-31'],
  ])(
    'keeps a declaration of %s for six years after the accounting year that ends on %s',
    (given, end, until) => {
      expect(keepUntil(given, end)).toBe(until);
    },
  );
});
