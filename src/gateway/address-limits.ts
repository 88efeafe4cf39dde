import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { boundedCache } from '../common/caching/bounded-cache.js';
import { clientAddress, TrustedNetworks } from '../common/http/client-address.js';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { AppConfig } from '../config/app-config.js';
import { clientConnections } from '../common/http/connections.js';

/**
 * Budget of one address: number of requests at once, then per second. The budget is large, because after an outage all walls
 * and phones of a venue reconnect at the same time, with one join each.
 */
const BUDGETS = {
  handshake: { burst: 600, perSecond: 10 },
  request: { burst: 600, perSecond: 20 },
} as const;
type Kind = keyof typeof BUDGETS;

const REMEMBERED = 50_000;

/** Budgets that all sockets of one address share. Each process has its own budgets, because they protect the process. */
@Injectable()
export class AddressBudgets {
  private readonly buckets = boundedCache<TokenBucket>(REMEMBERED);

  constructor(
    private readonly config: AppConfig,
    private readonly networks: TrustedNetworks,
  ) {}

  /** The remaining budget of an address, shared by all its requests. */
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
 * Counts the open sockets of each client address. Clients behind a trusted proxy are counted too, because the proxy's
 * connections have no limit. Sockets with long polling are counted too, although they have no permanent connection.
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

/**
 * Returns the client's address, also behind trusted proxies. The cast is safe, because every request of the server is an
 * Express request.
 */
export const addressOf = (request: IncomingMessage): string | undefined =>
  (request as Request).ip ?? request.socket.remoteAddress;
