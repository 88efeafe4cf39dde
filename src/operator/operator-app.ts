import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommonModule } from '../common/common.module.js';
import { createLogger, PinoNestLogger } from '../common/logging/logger.js';
import type { AppConfig } from '../config/app-config.js';
import { ConfigModule } from '../config/config.module.js';
import { DataModule } from '../data/data.module.js';
import { withInstallation } from '../data/schema/installation.js';
import { requireSchema } from '../data/schema/schema-check.js';
import { MailQueueModule } from '../mail/mail-queue.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { PROVIDERS } from '../payments/providers/provider-registry.js';
import { RedisModule } from '../redis/redis.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';

@Module({})
class OperatorModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        ConfigModule.forRoot(config),
        CommonModule,
        DataModule,
        RedisModule,
        AuditModule,
        OutboxModule,
        MailQueueModule,
        PaymentsModule.forRoot(PROVIDERS),
      ],
    };
  }
}

/** Creates the services without HTTP, sockets, timers or relay. Used by operator commands while servers are running. */
export async function createOperatorApp(config: AppConfig): Promise<INestApplicationContext> {
  await requireSchema(config.databaseUrl);
  return await NestFactory.createApplicationContext(OperatorModule.forRoot(await withInstallation(config)), {
    logger: new PinoNestLogger(createLogger('error')),
    abortOnError: false,
  });
}
