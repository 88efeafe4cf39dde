import { type ExecutionContext, Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { routeMetadata } from '../../common/access/route-metadata.js';
import { LimitOutsideRoutes } from './outside-routes.js';
import { AUTH_LIMIT } from './rate-limit.decorators.js';
import { TrustedNetworks } from '../../common/http/trusted-networks.js';

const MINUTE_MS = 60_000;

@Module({ providers: [LimitOutsideRoutes] })
class LimitPartsModule {}

/** The scopes of section 8 of the specification. */
export const throttling = ThrottlerModule.forRootAsync({
  imports: [LimitPartsModule],
  inject: [AppConfig, TrustedNetworks, Reflector],
  useFactory: (
    { limits }: AppConfig,
    networks: TrustedNetworks,
    reflector: Reflector,
  ): ThrottlerModuleOptions => {
    const ofRoute = routeMetadata(reflector, AUTH_LIMIT);
    const raisedInVenues = (context: ExecutionContext) =>
      networks.includes(context.switchToHttp().getRequest<Request>().ip)
        ? limits.perMinute * limits.trustedFactor
        : limits.perMinute;
    return {
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
