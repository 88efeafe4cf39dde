import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { boundedCache } from '../common/caching/bounded-cache.js';
import { clientAddress, TrustedNetworks } from '../common/http/client-address.js';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { AppConfig } from '../config/app-config.js';
import { clientConnections } from '../common/http/connections.js';

/** Of one address, at once and then a second: walls and phones of a venue come back together, one join for each. */
const BUDGETS = {
  handshake: { burst: 600, perSecond: 10 },
  request: { burst: 600, perSecond: 20 },
} as const;
type Kind = keyof typeof BUDGETS;

const REMEMBERED = 50_000;

/** What all sockets of one address may do together. Counted in the process: it is the process that must not drown. */
@Injectable()
export class AddressBudgets {
  private readonly buckets = boundedCache<TokenBucket>(REMEMBERED);

  constructor(
    private readonly config: AppConfig,
    private readonly networks: TrustedNetworks,
  ) {}

  /** What is left to the address, shared by all that asks from there. */
  of(kind: Kind, ip: string | undefined): TokenBucket {
    const key = `${kind}:${clientAddress(ip)}`;
    let bucket = this.buckets.get(key);
    if (!bucket) {
      const { burst, perSecond } = BUDGETS[kind];
      const factor = this.networks.includes(ip) ? this.config.limits.trustedFactor : 1;
      bucket = new TokenBucket(burst * factor, perSecond * factor);
      this.buckets.set(key, bucket);
    }
    return bucket;
  }
}

/**
 * How many sockets each client holds, also behind a proxy that is trusted and whose own connections are not bounded. Counts
 * long polling, which has no connection of its own, too.
 */
export class OpenSockets {
  private readonly perAddress = new Map<string, number>();
  private readonly mostOf: (ip: string | undefined) => number;

  constructor(config: AppConfig) {
    this.mostOf = clientConnections(config);
  }

  hasRoom(request: IncomingMessage): boolean {
    const ip = addressOf(request);
    return (this.perAddress.get(clientAddress(ip)) ?? 0) < this.mostOf(ip);
  }

  count(connection: {
    readonly request: IncomingMessage;
    once(event: 'close', listener: () => void): void;
  }): void {
    const address = clientAddress(addressOf(connection.request));
    this.perAddress.set(address, (this.perAddress.get(address) ?? 0) + 1);
    connection.once('close', () => {
      const left = (this.perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.perAddress.set(address, left);
      else this.perAddress.delete(address);
    });
  }
}

/** The client's address behind the proxies that are trusted: every request of the server is one of Express. */
export const addressOf = (request: IncomingMessage): string | undefined =>
  (request as Request).ip ?? request.socket.remoteAddress;
