import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { boundedCache } from '../bounded-cache.js';
import { AppConfig } from '../../config/app-config.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The networks of venues, whose many donors share a few addresses. */
@Injectable()
export class TrustedNetworks {
  private readonly networks: readonly Network[];
  private readonly known = boundedCache<boolean>(10_000);

  constructor(config: AppConfig) {
    this.networks = config.trustedNetworks.map(parseNetwork);
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

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
