import { Global, Module } from '@nestjs/common';
import { RateCounter } from './rate-counter.js';
import { RedisService } from './redis.service.js';
import { SharedState } from './shared-state.js';

@Global()
@Module({
  providers: [RateCounter, RedisService, SharedState],
  exports: [RateCounter, RedisService, SharedState],
})
export class RedisModule {}
