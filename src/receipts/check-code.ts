import { randomBytes } from 'node:crypto';

/** Path of the public check of a receipt, without the code. */
export const CHECK_PATH = '/r';

/** Crockford's Base32, which has no letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 20 characters have 100 random bits, so a code cannot be found by trying. */
const LENGTH = 20;
const CODE = new RegExp(`^[${ALPHABET}]{${String(LENGTH)}}$`);

/** Returns a new random code. */
export const newCheckCode = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');

/** Reads a code as a person types it: in small letters, with spaces or hyphens, or with a letter O for a zero. */
export function readCheckCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return CODE.test(code) ? code : undefined;
}
