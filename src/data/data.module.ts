import { Global, Module } from '@nestjs/common';
import { CollationCheck } from './schema/collation-check.js';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { SchemaCheck } from './schema/schema-check.js';
import { SchemaWatch } from './schema/schema-watch.js';

@Global()
@Module({
  providers: [CollationCheck, Database, PrismaService, SchemaCheck, SchemaWatch],
  exports: [CollationCheck, Database, PrismaService, SchemaCheck, SchemaWatch],
})
export class DataModule {}
