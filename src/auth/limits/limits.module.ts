import { type ExecutionContext, Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { LimitOutsideRoutes } from './outside-routes.js';
import { authLimitOf } from './rate-limit.guard.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import { TrustedNetworks } from '../../common/http/trusted-networks.js';

const MINUTE_MS = 60_000;

@Module({
  providers: [LimitOutsideRoutes, RateLimitStorage],
  exports: [RateLimitStorage],
})
class LimitPartsModule {}

/** The scopes of section 8 of the specification. */
export const throttling = ThrottlerModule.forRootAsync({
  imports: [LimitPartsModule],
  inject: [AppConfig, RateLimitStorage, TrustedNetworks, Reflector],
  useFactory: (
    { limits }: AppConfig,
    storage: RateLimitStorage,
    networks: TrustedNetworks,
    reflector: Reflector,
  ): ThrottlerModuleOptions => {
    const raisedInVenues = (limit: number) => (context: ExecutionContext) =>
      networks.includes(context.switchToHttp().getRequest<Request>().ip)
        ? limit * limits.trustedFactor
        : limit;
    return {
      storage,
      throttlers: [
        { name: 'default', ttl: MINUTE_MS, limit: raisedInVenues(limits.perMinute) },
        {
          name: 'auth',
          ttl: MINUTE_MS,
          limit: raisedInVenues(limits.authPerMinute),
          skipIf: (context) => authLimitOf(reflector, context) === undefined,
        },
      ],
    };
  },
});
