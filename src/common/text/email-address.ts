import { domainToASCII, domainToUnicode } from 'node:url';
import { textProblem } from './text.js';

/** Invisible characters that mail servers refuse: joiners, soft hyphens, direction marks. Pasted text often contains them. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu');

/** Maximum number of octets of an address, of its local part and of its domain (RFC 5321). */
const MOST = { whole: 254, local: 64, domain: 253 };
const LOCAL = /^[^\s@<>()[\],;:\\".]+(\.[^\s@<>()[\],;:\\".]+)*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NUMBER = /^\d+$/;

/** Returns an e-mail address in its stored form: NFC, without invisible characters, without white space at both ends. */
export const tidyEmail = (text: string): string =>
  text.normalize('NFC').replaceAll(EVERY_INVISIBLE, '').trim();

/**
 * Returns the problem of an e-mail address as the end of a sentence, or undefined. Every address that no mail server accepts
 * has a problem.
 */
export const emailProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && isEmail(value) ? undefined : 'must be an e-mail address';

function isEmail(text: string): boolean {
  if (
    text.length > MOST.whole ||
    INVISIBLE.test(text) ||
    textProblem(text, { max: MOST.whole }) !== undefined
  )
    return false;
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  return at > 0 && LOCAL.test(local) && Buffer.byteLength(local) <= MOST.local && isDomain(domain);
}

function isDomain(text: string): boolean {
  // Only ASCII dots are allowed, because the conversion accepts other dots and removes percent signs.
  if (!/^[^\s%/?#]+$/.test(text)) return false;
  const labels = domainToASCII(text).split('.');
  return (
    labels.length > 1 &&
    labels.join('.').length <= MOST.domain &&
    labels.every((label) => LABEL.test(label)) &&
    !NUMBER.test(labels.at(-1) ?? '')
  );
}

/**
 * Returns an e-mail address for comparison: in lower case, with the Unicode form of its domain. So `A@xn--bcher-kva.example`
 * becomes `a@bücher.example`.
 */
export function comparableEmail(text: string): string {
  const tidy = tidyEmail(text);
  const at = tidy.lastIndexOf('@');
  const domain = tidy.slice(at + 1);
  const readable = at < 0 ? '' : domainToUnicode(domainToASCII(domain));
  return `${tidy.slice(0, at + 1)}${readable || domain}`.toLowerCase();
}

/**
 * Returns the comparable form and the form with an ASCII domain, because the database may contain either form of an account.
 */
export function comparableEmails(text: string): readonly string[] {
  const readable = comparableEmail(text);
  const at = readable.lastIndexOf('@');
  const inAscii =
    readable.slice(0, at + 1) + (domainToASCII(readable.slice(at + 1)) || readable.slice(at + 1));
  const asWritten = tidyEmail(text).toLowerCase();
  return [...new Set([readable, inAscii, asWritten])];
}
