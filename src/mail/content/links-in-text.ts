/** What mail programs read as a dot or a slash in an address, besides the plain ones. */
const DOTS = /[\u3002\uFF61\u2024\uFE52]/g;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * What mail programs make into something to press: an address with a scheme, a host name, an e-mail address, a telephone
 * number. Wide on purpose: `Dr.Brown` counts too.
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

/** Whether a text of a stranger holds a link, or something that a mail program makes into one. */
export function holdsLink(text: string): boolean {
  const seen = text.normalize('NFKC').replace(INVISIBLE, '').replace(DOTS, '.');
  return LINKS.some((link) => link.test(seen));
}
