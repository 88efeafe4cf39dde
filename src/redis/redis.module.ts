import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { Counters } from './counters.js';
import { RedisService } from './redis.service.js';

@Global()
@Module({
  providers: [
    Counters,
    {
      provide: RedisService,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => RedisService.for(config),
    },
  ],
  exports: [Counters, RedisService],
})
export class RedisModule {}
