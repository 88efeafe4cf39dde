import { describe, expect, it } from '@jest/globals';
import { readCursor, writeCursor } from './change-cursor.js';

describe('a cursor of changes', () => {
  it('a cursor is read as it was written', () => {
    const place = { position: 9_007_199_254_740_993n, time: 1_764_000_000_000 };
    expect(readCursor(writeCursor(place))).toEqual(place);
  });

  it.each(['', '12', 'MS4x', Buffer.from('1.-5.7').toString('base64url'), 'ü'])(
    'is not read from %p',
    (text) => {
      expect(readCursor(text)).toBeUndefined();
    },
  );
});
