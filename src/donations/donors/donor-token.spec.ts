import { describe, expect, it } from '@jest/globals';
import { newId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import type { AppConfig } from '../../config/app-config.js';
import { donationOfToken, donorTokenOf, pledgeOfToken, pledgeTokenOf } from './donor-token.js';
const ring = (pinSecret: string, pinSecretBefore?: string) =>
  new KeyRing({ pinSecret, pinSecretBefore } as AppConfig);

const OLD = ring('old');
const NEW = ring('new');
const NEW_AND_OLD = ring('new', 'old');
const OLD_AND_NEW = ring('old', 'new');
const TOMORROW = new Date(Date.now() + 86_400_000);

describe('donor tokens while PIN_SECRET is rotated', () => {
  it('accepts tokens of both secrets during the rotation and of one secret afterwards', () => {
    const id = newId();
    const token = donorTokenOf(OLD, id);
    expect([OLD, NEW_AND_OLD, OLD_AND_NEW, NEW].map((keys) => donationOfToken(keys, token))).toEqual([
      id,
      id,
      id,
      undefined,
    ]);
    expect(donorTokenOf(NEW_AND_OLD, id)).toBe(donorTokenOf(NEW, id));
  });

  it('accepts pledge payment links of both secrets during the rotation and of one secret afterwards', () => {
    const id = newId();
    const token = pledgeTokenOf(OLD, id, TOMORROW);
    expect([OLD, NEW_AND_OLD, OLD_AND_NEW, NEW].map((keys) => pledgeOfToken(keys, token))).toEqual([
      id,
      id,
      id,
      undefined,
    ]);
    expect(pledgeTokenOf(NEW_AND_OLD, id, TOMORROW)).toBe(pledgeTokenOf(NEW, id, TOMORROW));
  });
});
