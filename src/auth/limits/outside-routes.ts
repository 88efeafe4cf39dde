import { type INestApplication, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { clientAddress, clientSite, TrustedNetworks } from '../../common/http/client-address.js';
import { type Soon, soon } from '../../common/concurrency/concurrency.js';
import { AppConfig } from '../../config/app-config.js';
import { Counters, type RateDecision } from '../../redis/counters.js';
import { describeLimit, isUnlimited, rateKey, SITE_FACTOR } from './rate-limit.guard.js';

const MINUTE = 60;

/** What an address is counted by. */
interface Counted {
  readonly own: string;
  /** Undefined for an address that belongs to no site. */
  readonly site: string | undefined;
  /** Requests a minute. */
  readonly limit: number;
}

/** Counts by address what no guard sees: requests that are answered, or refused, before their route is found. */
@Injectable()
export class LimitOutsideRoutes {
  private readonly counted = boundedCache<Counted>(10_000);

  constructor(
    private readonly config: AppConfig,
    private readonly counters: Counters,
    private readonly networks: TrustedNetworks,
  ) {}

  /** @throws TooManyRequestsError */
  async count(request: Request, response: Response): Promise<void> {
    const decision = await this.hit(request);
    describeLimit(response, 'default', decision);
    if (!decision.allowed) throw new TooManyRequestsError(decision.resetSeconds);
  }

  /** Counts a request by its address, and by its site where it has one. */
  hit({ ip = '' }: Request): Soon<RateDecision> {
    const { own, site, limit } = this.countedBy(ip);
    const counted = this.counters.hitSoon(own, limit, MINUTE);
    if (site === undefined) return counted;
    return soon(counted, (alone) => {
      if (!alone.allowed) return alone;
      return soon(this.counters.hitSoon(site, limit * SITE_FACTOR, MINUTE), (together) =>
        // An address tells of its own count, and is refused where its site has no more.
        together.allowed ? alone : { ...alone, allowed: false, resetSeconds: together.resetSeconds },
      );
    });
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

/** Call after the body parsers: a flood of bodies that are not JSON is a flood too. */
export function limitRefusedBodies(app: INestApplication): void {
  const limit = app.get(LimitOutsideRoutes);
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (isUnlimited(request)) next(error);
    else
      limit.count(request, response).then(() => {
        next(error);
      }, next);
  });
}

/** Puts pages that are not routes, below `path`, under the limit. */
export function limitPages(app: INestApplication, path: string): void {
  const limit = app.get(LimitOutsideRoutes);
  app.use(path, (request: Request, response: Response, next: NextFunction) => {
    limit.count(request, response).then(() => {
      next();
    }, next);
  });
}
