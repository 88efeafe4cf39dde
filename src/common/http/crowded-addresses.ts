import { Injectable, Logger } from '@nestjs/common';
import { boundedCache } from '../caching/bounded-cache.js';
import { clientAddress } from './client-address.js';

const WINDOW_MS = 10 * 60_000;
/** Number of refused requests from which an address counts as crowded. One impatient visitor causes fewer. */
const CROWD = 20;
const SHOWN = 3;
/** Minimum time between log lines, because a client with many addresses could fill the log. */
const LINE_EVERY_MS = 60_000;

/** An address with many refused requests. */
export interface CrowdedAddress {
  /** An IPv4 address, or the /64 network of an IPv6 address, in the form for `TRUSTED_NETWORKS`. */
  readonly address: string;
  /** Requests that this server refused in about the last ten minutes. */
  readonly refused: number;
}

interface Count {
  /** Start of the count, from `performance.now()`. */
  readonly since: number;
  refused: number;
}

/**
 * Detects addresses that exceed a limit. Such an address is an attacker, or a venue in which all guests use the same network.
 * Only the operator can see the difference.
 */
@Injectable()
export class CrowdedAddresses {
  private readonly logger = new Logger(CrowdedAddresses.name);
  private readonly counts = boundedCache<Count>(1_000);
  private lineAt = -Infinity;

  /** Records a request that the limit of its address refused. */
  note(ip: string | undefined): void {
    const address = clientAddress(ip);
    const count = this.current(address) ?? { since: performance.now(), refused: 0 };
    count.refused++;
    this.counts.set(address, count);
    if (count.refused % CROWD !== 0 || performance.now() - this.lineAt < LINE_EVERY_MS) return;
    this.lineAt = performance.now();
    this.logger.warn({
      msg: 'One address exceeds the request limits. If it is the network of a venue, set TRUSTED_NETWORKS',
      address,
      refused: count.refused,
    });
  }

  /** Lists the crowded addresses, those with the most refused requests first. */
  list(): CrowdedAddress[] {
    return [...this.counts.keys()]
      .map((address) => ({ address, refused: this.current(address)?.refused ?? 0 }))
      .filter(({ refused }) => refused >= CROWD)
      .sort((one, other) => other.refused - one.refused)
      .slice(0, SHOWN);
  }

  private current(address: string): Count | undefined {
    const count = this.counts.get(address);
    return count && performance.now() - count.since < WINDOW_MS ? count : undefined;
  }
}
