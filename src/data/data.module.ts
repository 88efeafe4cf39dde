import { Global, Module } from '@nestjs/common';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';

@Global()
@Module({ providers: [Database, PrismaService], exports: [Database, PrismaService] })
export class DataModule {}
