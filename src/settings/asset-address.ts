const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_LENGTH = 2048;
const HERE = 'https://this.invalid';
// Nothing that could end an attribute, a style's url() or a header.
const UNSAFE = /[\s"'<>()\\^`{|}\p{C}]/u;

/** What is wrong with the name of an asset, as the end of a sentence, or undefined. */
export const assetNameProblem = (name: string): string | undefined =>
  // Names such as `constructor` would be found on every object that lacks them.
  NAME.test(name) && !(name in {}) ? undefined : 'is not an asset name such as logo';

/**
 * What is wrong with the address of an asset, as the end of a sentence, or undefined: an https address
 * without credentials, or a path on this host.
 */
export function assetProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`;
  if (UNSAFE.test(value) || !(isHttps(value) || isPath(value)))
    return 'must be an https address or a path on this host';
  // One letter may become nine; a QR code, which the wall shows the donation page as, holds 2331.
  return new URL(value, HERE).href.length > MAX_LENGTH
    ? `must be at most ${MAX_LENGTH} characters, percent-encoded`
    : undefined;
}

function isHttps(text: string): boolean {
  if (!/^https:\/\/[^/]/i.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return isPlainHost(hostname) && username === '' && password === '';
}

/** A host may hold `;` or `,`, which would end a directive of a policy or begin another header. */
const isPlainHost = (hostname: string): boolean =>
  /^[a-z0-9.-]+$/.test(hostname) || /^\[[0-9a-f:.]+\]$/.test(hostname);

/** The origin that a policy has to allow for an asset; undefined for one on this host, or not fit for a header. */
export const foreignOrigin = (address: string | undefined): string | undefined =>
  address !== undefined && !UNSAFE.test(address) && isHttps(address) ? new URL(address).origin : undefined;

function isPath(text: string): boolean {
  // Two slashes would name another host.
  if (!text.startsWith('/') || text.startsWith('//')) return false;
  return URL.canParse(text, HERE) && new URL(text, HERE).origin === HERE;
}

/** Whether a text is an https origin that can stand in a header: no path, no credentials, no wildcard. */
export function isHttpsOrigin(text: string): boolean {
  if (text.length > MAX_LENGTH || UNSAFE.test(text) || !isHttps(text)) return false;
  const { origin, hostname, href } = new URL(text);
  return /^[a-z0-9.-]+$/.test(hostname) && href === `${origin}/` && /^https:\/\/[^/?#]+\/?$/i.test(text);
}
