import { type ExecutionContext, Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerModuleOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { routeMetadata } from '../../common/access/route-metadata.js';
import { Counters } from '../../redis/counters.js';
import { LimitOutsideRoutes } from './outside-routes.js';
import { AUTH_LIMIT } from './rate-limit.decorators.js';
import { TrustedNetworks } from '../../common/http/trusted-networks.js';

const MINUTE_MS = 60_000;

@Module({ providers: [LimitOutsideRoutes] })
class LimitPartsModule {}

/** The scopes of section 8 of the specification. */
export const throttling = ThrottlerModule.forRootAsync({
  imports: [LimitPartsModule],
  inject: [AppConfig, Counters, TrustedNetworks, Reflector],
  useFactory: (
    { limits }: AppConfig,
    counters: Counters,
    networks: TrustedNetworks,
    reflector: Reflector,
  ): ThrottlerModuleOptions => {
    const ofRoute = routeMetadata(reflector, AUTH_LIMIT);
    const raisedInVenues = (context: ExecutionContext) =>
      networks.includes(context.switchToHttp().getRequest<Request>().ip)
        ? limits.perMinute * limits.trustedFactor
        : limits.perMinute;
    return {
      storage: countingWith(counters),
      throttlers: [
        { name: 'default', ttl: MINUTE_MS, limit: raisedInVenues },
        {
          name: 'auth',
          ttl: MINUTE_MS,
          // Not raised for venues: more sign-ins would be more guesses, and trusted devices are counted apart.
          limit: limits.authPerMinute,
          skipIf: (context) => ofRoute(context) === undefined,
        },
      ],
    };
  },
});

/** Lets the throttler count where everything else is counted. */
const countingWith = (counters: Counters): ThrottlerStorage => ({
  increment: async (key, ttlMs, limit) => {
    const { count, allowed, resetSeconds } = await counters.hit(`rate:${key}`, limit, ttlMs / 1_000);
    return {
      totalHits: count,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: allowed ? 0 : resetSeconds,
    };
  },
});
