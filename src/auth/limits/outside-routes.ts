import { type INestApplication, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { clientAddress, clientSite } from '../../common/http/client-address.js';
import { AppConfig } from '../../config/app-config.js';
import { Counters } from '../../redis/counters.js';
import { describeLimit, isUnlimited, rateKey, SITE_FACTOR } from './rate-limit.guard.js';
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
    const { perMinute, trustedFactor } = this.config.limits;
    const limit = this.networks.includes(request.ip) ? perMinute * trustedFactor : perMinute;
    const hit = (client: string, most: number) =>
      this.counters.hit(`rate:${rateKey('default', client)}`, most, MINUTE);
    const { allowed, remaining, resetSeconds } = await hit(`address:${clientAddress(request.ip)}`, limit);
    describeLimit(response, 'default', { limit, remaining, windowMs: MINUTE * 1_000, reset: resetSeconds });
    if (!allowed) throw new TooManyRequestsError(resetSeconds);
    const site = clientSite(request.ip);
    if (site === undefined) return;
    const together = await hit(`site:${site}`, limit * SITE_FACTOR);
    if (!together.allowed) throw new TooManyRequestsError(together.resetSeconds);
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
