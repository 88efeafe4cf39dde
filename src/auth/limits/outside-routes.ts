import { type INestApplication, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { clientAddress, clientSite, TrustedNetworks } from '../../common/http/client-address.js';
import { CrowdedAddresses } from '../../common/http/crowded-addresses.js';
import { AppConfig } from '../../config/app-config.js';
import { Counters } from '../../redis/counters.js';
import { describeLimit, isUnlimited, rateKey, SITE_FACTOR } from './rate-limit.guard.js';

const MINUTE = 60;

/** The counter keys and the limit of a client. */
interface Counted {
  readonly own: string;
  /** Undefined if the address belongs to no IPv6 site. */
  readonly site: string | undefined;
  /** Requests per minute. */
  readonly limit: number;
}

/**
 * Rate limits by address for requests without a route: the service answers or refuses them before routing, so guards never see
 * them.
 */
@Injectable()
export class LimitOutsideRoutes {
  private readonly counted = boundedCache<Counted>(10_000);

  constructor(
    private readonly config: AppConfig,
    private readonly counters: Counters,
    private readonly networks: TrustedNetworks,
    private readonly crowded: CrowdedAddresses,
  ) {}

  /**
   * Counts a request for its address and, for IPv6, also for the site of the address.
   * @throws TooManyRequestsError
   */
  async count({ ip = '' }: Request, response: Response): Promise<void> {
    const { own, site, limit } = this.countedBy(ip);
    const alone = await this.counters.hit(own, limit, MINUTE);
    describeLimit(response, 'default', alone);
    if (!alone.allowed) {
      this.crowded.note(ip);
      throw new TooManyRequestsError(alone.resetSeconds);
    }
    if (site === undefined) return;
    const together = await this.counters.hit(site, limit * SITE_FACTOR, MINUTE);
    if (!together.allowed) throw new TooManyRequestsError(together.resetSeconds);
  }

  private countedBy(ip: string): Counted {
    let counted = this.counted.get(ip);
    if (!counted) {
      const { perMinute, trustedFactor } = this.config.limits;
      const site = clientSite(ip);
      counted = {
        own: rateKey('default', `address:${clientAddress(ip)}`),
        site: site === undefined ? undefined : rateKey('default', `site:${site}`),
        limit: this.networks.includes(ip) ? perMinute * trustedFactor : perMinute,
      };
      this.counted.set(ip, counted);
    }
    return counted;
  }
}

/**
 * Counts requests with invalid bodies, such as broken JSON, against the limit. Call this function after adding the body
 * parsers.
 */
export function limitRefusedBodies(app: INestApplication): void {
  const limit = app.get(LimitOutsideRoutes);
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    // A limit that refuses a request has already counted the request.
    if (isUnlimited(request) || error instanceof TooManyRequestsError) next(error);
    else
      limit.count(request, response).then(() => {
        next(error);
      }, next);
  });
}

/** Applies the limit to pages below `path` that are not routes. */
export function limitPages(app: INestApplication, path: string): void {
  const limit = app.get(LimitOutsideRoutes);
  app.use(path, (request: Request, response: Response, next: NextFunction) => {
    limit.count(request, response).then(() => {
      next();
    }, next);
  });
}
