import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[\w-]{43}$/;

/** Returns a token that cannot be guessed: 32 random bytes as base64url. Only its digest is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** True if a text has the form of a token. */
export const isToken = (text: unknown): text is string => typeof text === 'string' && TOKEN.test(text);

export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
