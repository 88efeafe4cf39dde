import { Global, Module } from '@nestjs/common';
import { Audit } from './audit.js';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { RateCounter } from './rate-counter.js';
import { RedisService } from './redis.service.js';
import { SharedState } from './shared-state.js';

@Global()
@Module({
  providers: [Audit, Database, PrismaService, RateCounter, RedisService, SharedState],
  exports: [Audit, Database, PrismaService, RateCounter, RedisService, SharedState],
})
export class DataModule {}
