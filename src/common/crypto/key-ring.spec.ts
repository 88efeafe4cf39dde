import { describe, expect, it } from '@jest/globals';
import type { AppConfig } from '../../config/app-config.js';
import { KeyRing } from './key-ring.js';

const ring = (pinSecret: string, pinSecretBefore?: string) =>
  new KeyRing({ pinSecret, pinSecretBefore } as AppConfig);

const OLD = ring('old');
const NEW = ring('new');
const NEW_AND_OLD = ring('new', 'old');
const OLD_AND_NEW = ring('old', 'new');

describe('a key ring with two values', () => {
  it('encrypts with the first value and decrypts with either', () => {
    expect(NEW.open('pin-seal', NEW_AND_OLD.seal('pin-seal', '271828'))).toBe('271828');
    expect(NEW_AND_OLD.tryOpen('pin-seal', OLD.seal('pin-seal', '271828'))).toEqual({
      text: '271828',
      byFirst: false,
    });
    expect(OLD_AND_NEW.tryOpen('pin-seal', OLD.seal('pin-seal', '271828'))?.byFirst).toBe(true);
    expect(() => NEW.open('pin-seal', OLD.seal('pin-seal', '271828'))).toThrow('another PIN_SECRET');
  });

  it('does not decrypt a text of another purpose', () => {
    expect(NEW_AND_OLD.tryOpen('totp-seal', OLD.seal('pin-seal', '271828'))).toBeUndefined();
  });

  it('makes digests with the first value and recognizes digests of either', () => {
    expect(NEW_AND_OLD.digest('pin-digest', '1')).toEqual(NEW.digest('pin-digest', '1'));
    expect(NEW_AND_OLD.digests('pin-digest', '1')).toEqual([
      NEW.digest('pin-digest', '1'),
      OLD.digest('pin-digest', '1'),
    ]);
  });
});

describe('the donor key', () => {
  it('remains the stored key when the values change', () => {
    const [before] = OLD.donorKeysByValue();
    const later = ring('newer', 'new');
    later.useDonorKey(before?.bytes);
    expect(later.donorDigest('ada@example.org')).toEqual(OLD.donorDigest('ada@example.org'));
  });

  it('comes from the first value if the stored key cannot be decrypted', () => {
    const keys = ring('new', 'old');
    keys.useDonorKey(undefined);
    expect(keys.donorDigest('ada@example.org')).toEqual(NEW.donorDigest('ada@example.org'));
  });

  it('makes no digest before it is read', () => {
    const keys = ring('new');
    keys.awaitDonorKey();
    expect(() => keys.donorDigest('ada@example.org')).toThrow('not loaded yet');
    keys.useDonorKey(undefined);
    expect(keys.donorDigest('ada@example.org')).toHaveLength(32);
  });
});
