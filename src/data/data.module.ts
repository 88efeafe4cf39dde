import { Global, Module } from '@nestjs/common';
import { Audit } from './audit.js';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { RedisService } from './redis.service.js';

@Global()
@Module({
  providers: [Audit, Database, PrismaService, RedisService],
  exports: [Audit, Database, PrismaService, RedisService],
})
export class DataModule {}
