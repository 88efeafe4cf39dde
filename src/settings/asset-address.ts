const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_LENGTH = 2048;
const HERE = 'https://this.invalid';
// Characters that could end an HTML attribute, a `url()` of CSS or a header.
const UNSAFE = /[\s"'<>()\\^`{|}\p{C}]/u;

/** Returns the problem of an asset name, as the end of a sentence; undefined if the name is valid. */
export const assetNameProblem = (name: string): string | undefined =>
  // Refuses names that every object inherits, such as `constructor`, because a lookup would find them.
  NAME.test(name) && !(name in {}) ? undefined : 'is not an asset name such as logo';

/**
 * Returns the problem of an asset address, as the end of a sentence; undefined if the address is valid. Valid addresses are
 * https addresses without credentials, and paths on this host.
 */
export function assetProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`;
  if (UNSAFE.test(value) || !(isHttps(value) || isPath(value)))
    return 'must be an https address or a path on this host';
  // The limit applies to the encoded form: percent-encoding can turn one letter into nine, and the wall's QR code can contain
  // at most 2331 characters.
  return new URL(value, HERE).href.length > MAX_LENGTH
    ? `must be at most ${MAX_LENGTH} characters, percent-encoded`
    : undefined;
}

/** True for an https address that is safe in HTML and in an e-mail, without credentials. */
export const isHttpsAddress = (text: string): boolean => assetProblem(text) === undefined && isHttps(text);

function isHttps(text: string): boolean {
  if (!/^https:\/\/[^/]/i.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return isPlainHost(hostname) && username === '' && password === '';
}

/**
 * True if a host is safe in a header. A host can contain `;` or `,`, which would end a policy directive or start another
 * header.
 */
const isPlainHost = (hostname: string): boolean =>
  /^[a-z0-9.-]+$/.test(hostname) || /^\[[0-9a-f:.]+\]$/.test(hostname);

/**
 * Returns the origin that the content policy must allow for an asset. Returns undefined if the asset is on this host, or if the
 * origin is unsafe in a header.
 */
export const foreignOrigin = (address: string | undefined): string | undefined =>
  address !== undefined && !UNSAFE.test(address) && isHttps(address) ? new URL(address).origin : undefined;

function isPath(text: string): boolean {
  // Refuses two slashes, because a host name follows them.
  if (!text.startsWith('/') || text.startsWith('//')) return false;
  return URL.canParse(text, HERE) && new URL(text, HERE).origin === HERE;
}

/** True for an https origin that is safe in a header: without path, credentials or wildcard. */
export function isHttpsOrigin(text: string): boolean {
  if (text.length > MAX_LENGTH || UNSAFE.test(text) || !isHttps(text)) return false;
  const { origin, hostname, href } = new URL(text);
  return /^[a-z0-9.-]+$/.test(hostname) && href === `${origin}/` && /^https:\/\/[^/?#]+\/?$/i.test(text);
}
