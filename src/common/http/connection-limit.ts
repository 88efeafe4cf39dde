import type { AppConfig } from '../../config/app-config.js';
import { Networks } from './client-address.js';

/** As Express names them in `trust proxy`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

type LimitOf = (ip: string | undefined) => number;

/** How many connections a client may hold at the same time: more in the networks of venues. */
export function clientConnections({ connectionsPerAddress, limits, trustedNetworks }: AppConfig): LimitOf {
  const venues = new Networks(trustedNetworks);
  return (ip) => (venues.includes(ip) ? connectionsPerAddress * limits.trustedFactor : connectionsPerAddress);
}

/** As `clientConnections`, for who connects to this server: a proxy that is trusted holds those of all its clients. */
export function peerConnections(config: AppConfig): LimitOf {
  const { trustProxy } = config;
  // With a number of proxies, the one that connects is the last of them.
  if (typeof trustProxy === 'number') return () => Infinity;
  const proxies = new Networks(trustProxy === false ? [] : trustProxy.flatMap((one) => NAMED[one] ?? [one]));
  const ofClient = clientConnections(config);
  return (peer) => (proxies.includes(peer) ? Infinity : ofClient(peer));
}
