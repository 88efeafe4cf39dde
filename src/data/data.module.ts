import { Global, Module } from '@nestjs/common';
import { CollationCheck } from './collation-check.js';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { SchemaCheck } from './schema-check.js';
import { SchemaWatch } from './schema-watch.js';

@Global()
@Module({
  providers: [CollationCheck, Database, PrismaService, SchemaCheck, SchemaWatch],
  exports: [CollationCheck, Database, PrismaService, SchemaCheck, SchemaWatch],
})
export class DataModule {}
