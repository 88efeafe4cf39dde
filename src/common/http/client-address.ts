import { isIPv4, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { AppConfig } from '../../config/app-config.js';
import { boundedCache } from '../caching/bounded-cache.js';

/** Bits of an IPv6 address that one customer usually holds whole. */
const IPV6_CUSTOMER_BITS = 64;
/** Bits that one site holds, which can give itself 65 536 of the former. */
const IPV6_SITE_BITS = 48;
/** Bits that name a provider's block, roughly. */
const NETWORK_BITS = { ipv4: 16, ipv6: 32 };

/**
 * What a client is counted by: an IPv4 address as it is, an IPv6 address as its /64 network, since one customer
 * has all of that to move about in. Whatever is no address is one and the same client.
 */
export function clientAddress(ip: string | undefined): string {
  const address = parse(ip);
  if (address instanceof ipaddr.IPv6) return prefixOf(address, IPV6_CUSTOMER_BITS);
  return address ?? 'unknown';
}

/** The /48 around an IPv6 address; undefined for IPv4, where no such group can be told. */
export function clientSite(ip: string | undefined): string | undefined {
  const address = parse(ip);
  return address instanceof ipaddr.IPv6 ? prefixOf(address, IPV6_SITE_BITS) : undefined;
}

/** The block of addresses around a client that one attacker can most easily have many of. */
export function clientNetwork(ip: string | undefined): string {
  const address = parse(ip);
  if (address instanceof ipaddr.IPv6) return prefixOf(address, NETWORK_BITS.ipv6);
  return address === undefined ? 'unknown' : `${address.split('.', 2).join('.')}/${NETWORK_BITS.ipv4}`;
}

/** An IPv4 address as text, also where it came inside an IPv6 one. */
function parse(ip: string | undefined): string | ipaddr.IPv6 | undefined {
  if (ip === undefined) return undefined;
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip)) return undefined;
  const address = ipaddr.IPv6.parse(ip.split('%', 1)[0] ?? ip);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address;
}

function prefixOf(address: ipaddr.IPv6, bits: number): string {
  const parts = address.parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${parts.join(':')}::/${bits}`;
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Addresses and networks of them. */
export class Networks {
  private readonly networks: readonly Network[];
  private readonly known = boundedCache<boolean>(10_000);

  constructor(networks: readonly string[]) {
    this.networks = networks.map(parseNetwork);
  }

  includes(ip: string | undefined): boolean {
    if (this.networks.length === 0 || ip === undefined) return false;
    let trusted = this.known.get(ip);
    if (trusted === undefined) {
      trusted = this.matches(ip);
      this.known.set(ip, trusted);
    }
    return trusted;
  }

  private matches(ip: string): boolean {
    if (!ipaddr.isValid(ip)) return false;
    const address = ipaddr.process(ip);
    return this.networks.some((network) => address.kind() === network[0].kind() && address.match(network));
  }
}

/** The networks of venues, whose many donors share a few addresses. */
@Injectable()
export class TrustedNetworks extends Networks {
  constructor(config: AppConfig) {
    super(config.trustedNetworks);
  }
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
