import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '../../config/app-config.js';
import { TrustedNetworks } from '../../common/http/client-address.js';
import { LimitOutsideRoutes } from './outside-routes.js';
import { limitScopes } from './rate-limit.guard.js';

@Module({ providers: [LimitOutsideRoutes] })
class LimitPartsModule {}

/** The library's options are what `RateLimitGuard` counts by. */
export const throttling = ThrottlerModule.forRootAsync({
  imports: [LimitPartsModule],
  inject: [AppConfig, TrustedNetworks, Reflector],
  useFactory: limitScopes,
});
