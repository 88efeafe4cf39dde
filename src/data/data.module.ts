import { Global, Module } from '@nestjs/common';
import { CollationCheck } from './collation-check.js';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { SchemaCheck } from './schema-check.js';

@Global()
@Module({
  providers: [CollationCheck, Database, PrismaService, SchemaCheck],
  exports: [CollationCheck, Database, PrismaService, SchemaCheck],
})
export class DataModule {}
