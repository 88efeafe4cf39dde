import { describe, expect, it } from '@jest/globals';
import { fitted } from './text.js';

describe('a text cut to a fixed number of bytes', () => {
  it.each([
    ['Harbour Fund', 12, 'Harbour Fund'],
    ['Harbour Fund', 11, 'Harbour…'],
    ['Zoë', 4, 'Zoë'],
    ['Zoëë', 5, 'Zo…'],
    ['👩‍👩‍👧👩‍👩‍👧', 21, '👩‍👩‍👧…'],
    ['👩‍👩‍👧', 17, '…'],
  ])('"%s" in %d bytes is "%s"', (text, bytes, kept) => {
    expect(fitted(text, bytes)).toBe(kept);
    expect(Buffer.byteLength(fitted(text, bytes))).toBeLessThanOrEqual(bytes);
  });
});
