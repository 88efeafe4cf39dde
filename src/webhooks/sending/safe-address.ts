import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const IPV6_INTERNET: Network = [ipaddr.parse('2000::'), 3];
/** Addresses with which a network of IPv6 reaches IPv4. The last four bytes are the IPv4 address. */
const NAT64: Network = [ipaddr.parse('64:ff9b::'), 96];

/**
 * True if webhooks may be sent to this address: a public one, or one in a network that the operator opened. Refuses addresses
 * of this machine, of private networks and of tunnels, also if IPv6 contains the IPv4 address.
 */
export function isAllowedAddress(address: string, openNetworks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (openNetworks.some((network) => contains(network, parsed))) return true;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.match(NAT64)) return ipaddr.fromByteArray(parsed.toByteArray().slice(12)).range() === 'unicast';
  return parsed.range() === 'unicast' && parsed.match(IPV6_INTERNET);
}

/** True for an address of this machine. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

function contains(network: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const [base, bits] = network.includes('/')
    ? ipaddr.parseCIDR(network)
    : ([ipaddr.parse(network), ipaddr.parse(network).kind() === 'ipv4' ? 32 : 128] as Network);
  return base.kind() === address.kind() && address.match([base, bits] as Network);
}
