import { describe, expect, it } from '@jest/globals';
import { isSameDigest, newKey, readKey } from './key-text.js';

describe('an API key', () => {
  it('a key has a fixed start, a prefix, a secret and a checksum', () => {
    const { text, prefix } = newKey();
    expect(text).toMatch(/^fdk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(text.slice(4, 12)).toBe(prefix);
  });

  it('a key is read with the digest that was stored', () => {
    const { text, prefix, digest } = newKey();
    expect(readKey(text)).toEqual({ prefix, digest });
  });

  it('a key with one wrong character is not read', () => {
    const { text } = newKey();
    for (let place = 4; place < text.length; place++) {
      const wrong = text[place] === 'a' ? 'b' : 'a';
      expect(readKey(text.slice(0, place) + wrong + text.slice(place + 1))).toBeUndefined();
    }
  });

  it('a key with two exchanged characters is not read', () => {
    const { text } = newKey();
    const [one = '', other = ''] = text.slice(20, 22);
    if (one !== other) expect(readKey(text.slice(0, 20) + other + one + text.slice(22))).toBeUndefined();
  });

  it.each(['', 'fdk_', 'fdk_short_key', `fdk_${'a'.repeat(8)}_${'é'.repeat(38)}`])(
    'is not read from %p',
    (text) => {
      expect(readKey(text)).toBeUndefined();
    },
  );

  it('compares digests of any length', () => {
    expect(isSameDigest(Buffer.from('a'), Buffer.from('a'))).toBe(true);
    expect(isSameDigest(Buffer.from('a'), Buffer.from('b'))).toBe(false);
    expect(isSameDigest(Buffer.from('a'), Buffer.from('ab'))).toBe(false);
  });
});
