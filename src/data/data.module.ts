import { Global, Module } from '@nestjs/common';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { RedisService } from './redis.service.js';

@Global()
@Module({ providers: [Database, PrismaService, RedisService], exports: [Database, PrismaService, RedisService] })
export class DataModule {}
