import { describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { UnavailableError } from '../common/errors/domain-errors.js';
import { BCRYPT_COST, hashPassword, PasswordHashes, type PasswordLane } from './passwords.js';

const CHEAP_HASH = bcrypt.hashSync('right', 4);

describe('passwords', () => {
  it('match only their own hash', async () => {
    const passwords = new PasswordHashes();
    await expect(passwords.matches('right', CHEAP_HASH, 'strangers')).resolves.toBe(true);
    await expect(passwords.matches('wrong', CHEAP_HASH, 'strangers')).resolves.toBe(false);
    await expect(passwords.matches('right', undefined, 'strangers')).resolves.toBe(false);
  });

  it('take equally long to check if no account has the e-mail', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    await expect(new PasswordHashes().matches('right', undefined, 'strangers')).resolves.toBe(false);
    expect(compare).toHaveBeenCalledTimes(1);
    expect(bcrypt.getRounds(String(compare.mock.calls[0]?.[1]))).toBe(BCRYPT_COST);
    compare.mockRestore();
  });

  it('are hashed by bcrypt with cost 12', async () => {
    expect(bcrypt.getRounds(await hashPassword('right'))).toBe(BCRYPT_COST);
  });

  it.each<[string, PasswordLane, number]>([
    ['untrusted devices, one at a time', 'strangers', 1],
    ['trusted devices, two at a time', 'trusted', 2],
  ])('are checked for %s, with a bounded queue and then a 503', async (_, lane, atOnce) => {
    let [running, most] = [0, 0];
    const counted = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return true;
    };
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementation(() => counted() as never);
    const passwords = new PasswordHashes();
    const checks = await Promise.allSettled(
      Array.from({ length: 30 }, () => passwords.matches('right', CHEAP_HASH, lane)),
    );
    const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as unknown] : []));
    expect(most).toBe(atOnce);
    expect(checks.filter(({ status }) => status === 'fulfilled')).toHaveLength(20 + atOnce);
    expect(refused).toHaveLength(10 - atOnce);
    expect(refused[0]).toBeInstanceOf(UnavailableError);
    await expect(passwords.matches('right', CHEAP_HASH, lane)).resolves.toBe(true);
    compare.mockRestore();
  });
});
