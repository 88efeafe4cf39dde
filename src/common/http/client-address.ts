import { isIPv4, isIPv6, isIP } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { AppConfig } from '../../config/app-config.js';
import { boundedCache } from '../caching/bounded-cache.js';
import type { NextFunction, Request, Response } from 'express';

/** Prefix length of an IPv6 network that one customer usually has. */
const IPV6_CUSTOMER_BITS = 64;
/** Prefix length of an IPv6 site. A site contains 65,536 networks with the prefix length 64. */
const IPV6_SITE_BITS = 48;
/** Approximate prefix lengths of the address block of an internet provider. */
const NETWORK_BITS = { ipv4: 16, ipv6: 32 };

/**
 * Returns the address for counting a client: an IPv4 address unchanged, an IPv6 address as its /64 network, because
 * one customer can use all addresses of such a network. All invalid addresses count as one client.
 */
export function clientAddress(ip: string | undefined): string {
  const address = parse(ip);
  if (address instanceof ipaddr.IPv6) return prefixOf(address, IPV6_CUSTOMER_BITS);
  return address ?? 'unknown';
}

/** Returns the /48 site of an IPv6 address; undefined for an IPv4 address, because IPv4 has no sites. */
export function clientSite(ip: string | undefined): string | undefined {
  const address = parse(ip);
  return address instanceof ipaddr.IPv6 ? prefixOf(address, IPV6_SITE_BITS) : undefined;
}

/** Returns the block of addresses that a single attacker probably controls. */
export function clientNetwork(ip: string | undefined): string {
  const address = parse(ip);
  if (address instanceof ipaddr.IPv6) return prefixOf(address, NETWORK_BITS.ipv6);
  return address === undefined ? 'unknown' : `${address.split('.', 2).join('.')}/${NETWORK_BITS.ipv4}`;
}

/** Returns an IPv4 address as text, even if it was mapped to IPv6. */
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

/** A set of addresses and networks. */
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

/** Networks of venues. In a venue, many donors share a few addresses. */
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

/**
 * Returns the addresses of an `X-Forwarded-For` header without ports. Some proxies, such as Azure's gateways, add a port:
 * `203.0.113.7:56789` and `[2001:db8::7]:56789`. Entries that are not addresses stay unchanged.
 */
export function withoutPorts(header: string): string {
  // Most headers contain only IPv4 addresses.
  return header.includes(':') ? header.split(',').map(addressOf).join(', ') : header;
}

function addressOf(entry: string): string {
  const text = entry.trim();
  if (isIP(text) !== 0) return text;
  const inBrackets = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  if (inBrackets !== undefined) return isIP(inBrackets) === 0 ? text : inBrackets;
  // Removes a port only from an IPv4 address, because the last group of an IPv6 address can look like a port.
  const beforePort = /^([^,]*\.\d{1,3}):\d{1,5}$/.exec(text)?.[1] ?? '';
  return isIP(beforePort) !== 0 ? beforePort : text;
}

/** Returns an IPv4 address in plain form, even if a socket for IPv4 and IPv6 reports it as `::ffff:…`. */
export const plainAddress = (address: string | undefined): string | undefined =>
  address?.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;

/** Logs one warning per application if a proxy identifies clients by a value that is not an address. */
export class UnreadableForwarding {
  private isSaid = false;

  warn(proxy: string | undefined): void {
    if (this.isSaid) return;
    this.isSaid = true;
    new Logger('TRUST_PROXY').warn(
      `X-Forwarded-For contains no client address in requests through ${proxy ?? 'a proxy'}: ` +
        'all clients of that proxy share one limit. Configure the proxy to write addresses, and check TRUST_PROXY.',
    );
  }
}

/**
 * Logs one warning if requests come through a proxy that is missing in `TRUST_PROXY`. All clients of this proxy, such as a
 * whole venue, then share one limit.
 */
export function warnOfUnreadForwarding(): (request: Request, response: Response, next: NextFunction) => void {
  let said = false;
  return ({ headers, socket }, _response, next) => {
    if (!said && (headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'])) {
      said = true;
      new Logger('TRUST_PROXY').warn(
        `TRUST_PROXY is off, but requests come through a proxy at ${socket.remoteAddress ?? 'an unknown address'}: ` +
          'all its clients share one limit. Set TRUST_PROXY to the number of proxies, or to their networks.',
      );
    }
    next();
  };
}
