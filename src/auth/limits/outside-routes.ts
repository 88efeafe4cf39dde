import { type INestApplication, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { clientAddress, clientSite } from '../../common/http/client-address.js';
import { AppConfig } from '../../config/app-config.js';
import { Counters, type RateDecision } from '../../redis/counters.js';
import {
  describeLimit,
  isUnlimited,
  limitHeaders,
  type LimitState,
  rateKey,
  SITE_FACTOR,
} from './rate-limit.guard.js';
import { TrustedNetworks } from '../../common/http/trusted-networks.js';

const MINUTE = 60;

/** Counts by address what no guard sees: requests that are refused before their route is found. */
@Injectable()
export class LimitOutsideRoutes {
  constructor(
    private readonly config: AppConfig,
    private readonly counters: Counters,
    private readonly networks: TrustedNetworks,
  ) {}

  /** @throws TooManyRequestsError */
  async count(request: Request, response: Response): Promise<void> {
    const decision = await this.hit(request);
    describeLimit(response, 'default', this.stateOf(request, decision));
    if (!decision.allowed) throw new TooManyRequestsError(decision.resetSeconds);
  }

  /** What the routes would say of a request that was counted, as names and values. */
  headersOf(request: Request, decision: RateDecision): (readonly [name: string, value: string])[] {
    return limitHeaders('default', this.stateOf(request, decision));
  }

  private stateOf(request: Request, { remaining, resetSeconds }: RateDecision): LimitState {
    return { limit: this.limitOf(request), remaining, windowMs: MINUTE * 1_000, reset: resetSeconds };
  }

  /** Requests a minute that the address may make. */
  private limitOf(request: Request): number {
    const { perMinute, trustedFactor } = this.config.limits;
    return this.networks.includes(request.ip) ? perMinute * trustedFactor : perMinute;
  }

  /** Counts a request by its address, and by its site where it has one; at once where this process counts by itself. */
  hit(request: Request): RateDecision | Promise<RateDecision> {
    const limit = this.limitOf(request);
    const own = `rate:${rateKey('default', `address:${clientAddress(request.ip)}`)}`;
    const site = clientSite(request.ip);
    const ofSite = site === undefined ? undefined : `rate:${rateKey('default', `site:${site}`)}`;
    const here = this.counters.hitHere(own, limit, MINUTE);
    if (!here) return this.hitShared(own, ofSite, limit);
    if (!here.allowed || ofSite === undefined) return here;
    return both(here, this.counters.hitHere(ofSite, limit * SITE_FACTOR, MINUTE));
  }

  private async hitShared(own: string, ofSite: string | undefined, limit: number): Promise<RateDecision> {
    const alone = await this.counters.hit(own, limit, MINUTE);
    if (!alone.allowed || ofSite === undefined) return alone;
    return both(alone, await this.counters.hit(ofSite, limit * SITE_FACTOR, MINUTE));
  }
}

/** An address tells of its own count, and is refused where its site has no more. */
const both = (own: RateDecision, ofSite: RateDecision | undefined): RateDecision =>
  ofSite?.allowed === false ? { ...own, allowed: false, resetSeconds: ofSite.resetSeconds } : own;

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
