import { Global, Module } from '@nestjs/common';
import { Counters } from './counters.js';
import { RedisService } from './redis.service.js';

@Global()
@Module({
  providers: [Counters, RedisService],
  exports: [Counters, RedisService],
})
export class RedisModule {}
