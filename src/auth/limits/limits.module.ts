import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '../../config/app-config.js';
import { TrustedNetworks } from '../../common/http/client-address.js';
import { LimitOutsideRoutes } from './outside-routes.js';
import { Counters } from '../../redis/counters.js';
import { limitScopes } from './rate-limit.guard.js';

@Module({ providers: [LimitOutsideRoutes] })
class LimitPartsModule {}

/** The library's options are what `RateLimitGuard` counts by. */
export const throttling = ThrottlerModule.forRootAsync({
  imports: [LimitPartsModule],
  inject: [AppConfig, TrustedNetworks, Reflector, Counters],
  useFactory: (
    ...[config, networks, reflector, counters]: [AppConfig, TrustedNetworks, Reflector, Counters]
  ) => ({
    throttlers: limitScopes(config, networks, reflector),
    storage: counters,
  }),
});
