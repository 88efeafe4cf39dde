import { describe, expect, it } from '@jest/globals';
import { shownLength } from '../../web/wall/shown-length.js';

describe('the shown length of a text', () => {
  it.each([
    ['', 0],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['👨‍👩‍👧‍👦', 1],
    ['Mia ❤️', 5],
    ['👍🏽👍🏽', 2],
    ['👩🏽‍🚀 & 👩🏿‍🤝‍👩🏻', 5],
    ['1️⃣', 1],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 1],
    ['हिंदी', 2],
  ])('counts the characters that a reader sees: %s', (text, length) => {
    expect(shownLength(text)).toBe(length);
  });
});
