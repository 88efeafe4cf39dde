/** Characters that mail programs read as a dot in an address. */
const DOTS = /[\u3002\uFF61\u2024\uFE52]/g;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * Texts that mail programs turn into links: addresses with a scheme, host names, e-mail addresses, telephone numbers. The
 * patterns also match harmless texts such as `Dr.Brown`, to be safe.
 */
const LINKS = [
  /\/\//,
  /\b[a-z][a-z0-9+.-]+:\S/i,
  /[\p{L}\p{N}_-]\.[\p{L}\p{M}]{2,}/u,
  /\bxn--/i,
  /[^\s@]@[^\s@]/,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /\d(?:[\s()./-]*\d){6,}/,
];

/** True if a text contains a link, or text that a mail program turns into one. */
export function holdsLink(text: string): boolean {
  const seen = text.normalize('NFKC').replace(INVISIBLE, '').replace(DOTS, '.');
  return LINKS.some((link) => link.test(seen));
}
