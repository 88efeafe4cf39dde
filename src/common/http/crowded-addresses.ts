import { Injectable, Logger } from '@nestjs/common';
import { boundedCache } from '../caching/bounded-cache.js';
import { clientAddress } from './client-address.js';

const WINDOW_MS = 10 * 60_000;
/** One phone that is reloaded in anger is no crowd. */
const CROWD = 20;
const SHOWN = 3;
/** Whoever has many addresses could fill the log. */
const LINE_EVERY_MS = 60_000;

/** An address much of which is refused. */
export interface CrowdedAddress {
  /** An IPv4 address, or the /64 network of an IPv6 one: as `TRUSTED_NETWORKS` takes it. */
  readonly address: string;
  /** Requests that were refused, of this server in the last ten minutes or so. */
  readonly refused: number;
}

interface Count {
  /** Milliseconds of the steady clock. */
  readonly since: number;
  refused: number;
}

/**
 * Notices addresses from which more comes than a limit lets through: an attacker's, or that of a hall in which everybody
 * gives at once over the same network, which only people can tell apart.
 */
@Injectable()
export class CrowdedAddresses {
  private readonly logger = new Logger(CrowdedAddresses.name);
  private readonly counts = boundedCache<Count>(1_000);
  private lineAt = -Infinity;

  /** A request was refused by the limit of its address. */
  note(ip: string | undefined): void {
    const address = clientAddress(ip);
    const count = this.current(address) ?? { since: performance.now(), refused: 0 };
    count.refused++;
    this.counts.set(address, count);
    if (count.refused % CROWD !== 0 || performance.now() - this.lineAt < LINE_EVERY_MS) return;
    this.lineAt = performance.now();
    this.logger.warn({
      msg: 'More comes from one address than the limits let through. If it is the network of a hall: TRUSTED_NETWORKS',
      address,
      refused: count.refused,
    });
  }

  /** Those that were refused most. */
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
