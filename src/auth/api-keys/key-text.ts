import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** The start of every key. Scanners of source code find leaked keys by it. */
export const KEY_START = 'fdk_';

const FORM = new RegExp(
  `^${KEY_START}([0-9A-Za-z]{${PREFIX_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

/** The text of an API key, and the parts that the database stores. */
export interface NewKey {
  readonly text: string;
  /** Identifies the key. Not secret. */
  readonly prefix: string;
  readonly digest: Buffer<ArrayBuffer>;
}

/** Returns a new key: `fdk_`, a prefix of 8 characters, `_`, a secret of 190 bits, and a checksum. */
export function newKey(): NewKey {
  const prefix = randomText(PREFIX_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  const body = `${KEY_START}${prefix}_${secret}`;
  return { text: body + checksumOf(body), prefix, digest: digestOf(secret) };
}

/** Returns the parts of a key. Returns undefined for a wrong checksum, so that a mistyped key needs no query. */
export function readKey(text: string): { prefix: string; digest: Buffer } | undefined {
  const [, prefix, secret, checksum] = FORM.exec(text) ?? [];
  if (prefix === undefined || secret === undefined) return undefined;
  if (checksumOf(`${KEY_START}${prefix}_${secret}`) !== checksum) return undefined;
  return { prefix, digest: digestOf(secret) };
}

/** Compares two digests in constant time. */
export const isSameDigest = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

const digestOf = (secret: string): Buffer<ArrayBuffer> => createHash('sha256').update(secret).digest();

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** The CRC-32 of a text as six characters. It finds mistyped keys, and is no protection. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let written = '';
  while (written.length < CHECKSUM_LENGTH) {
    written = (ALPHABET[rest % ALPHABET.length] ?? '') + written;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return written;
}
