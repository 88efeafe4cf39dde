import { Global, Module } from '@nestjs/common';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { SchemaCheck } from './schema-check.js';

@Global()
@Module({
  providers: [Database, PrismaService, SchemaCheck],
  exports: [Database, PrismaService, SchemaCheck],
})
export class DataModule {}
