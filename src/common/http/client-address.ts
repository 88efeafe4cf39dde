import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that one customer usually holds whole. */
const IPV6_CUSTOMER_BITS = 64;

/**
 * What a client is counted by: an IPv4 address as it is, an IPv6 address as its /64 network, since one customer
 * has all of that to move about in. Whatever is no address is one and the same client.
 */
export function clientAddress(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip)) return 'unknown';
  const address = ipaddr.IPv6.parse(ip.split('%', 1)[0] ?? ip);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const network = address.parts.slice(0, IPV6_CUSTOMER_BITS / 16).map((part) => part.toString(16));
  return `${network.join(':')}::/${IPV6_CUSTOMER_BITS}`;
}
