import { isIP } from 'node:net';
import { isAllowedAddress, isLoopback } from './safe-address.js';

/** Rules of the operator for the addresses of webhooks. */
export interface WebhookNetwork {
  readonly production: boolean;
  readonly ports: readonly number[];
  /** Networks that are open although they are not public. */
  readonly privateNetworks: readonly string[];
}

const LONGEST = 2_000;

/** Host without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** True for the address of a receiver on this machine, which is allowed outside production. */
export const isOwnMachine = (url: URL): boolean =>
  hostOf(url) === 'localhost' || (isIP(hostOf(url)) !== 0 && isLoopback(hostOf(url)));

/** The problem of an address of an endpoint, as the end of a sentence; undefined for a good one. Looks up no name. */
export function urlProblem(text: string, { production, ports, privateNetworks }: WebhookNetwork) {
  if (text.length > LONGEST) return `must have at most ${LONGEST} characters`;
  if (!URL.canParse(text)) return 'must be an https address';
  const url = new URL(text);
  if (url.username || url.password) return 'must not contain a user name or password';
  if (url.hash) return 'must not contain a fragment';
  if (!production && isOwnMachine(url) && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== 'https:') return 'must be an https address';
  if (!ports.includes(url.port === '' ? 443 : Number(url.port)))
    return `must use one of the ports ${ports.join(', ')}`;
  const host = hostOf(url);
  const isOpen = isIP(host) === 0 ? host !== 'localhost' : isAllowedAddress(host, privateNetworks);
  return isOpen ? undefined : 'must not be an address of this machine or of a private network';
}
