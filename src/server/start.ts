import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { createApp } from './app.js';
import { createLogger } from '../common/logging/logger.js';
import { VERSION } from '../common/version.js';
import { AppConfig } from '../config/app-config.js';
import { ConfigError } from '../config/environment.js';
import { loadConfig } from './load-config.js';
import { CollationCheck } from '../data/schema/collation-check.js';
import { awaitDatabase } from '../data/await-database.js';
import { DatabaseUnusableError } from '../data/connect.js';
import { databaseWarnings } from '../data/schema/database-warnings.js';
import { MigrationError } from '../data/schema/migrations.js';
import { requireSchema } from '../data/schema/schema-check.js';
import { AddressUnusableError, explainAddress, listen } from './listen.js';
import { Shutdown } from './shutdown.js';

/** Errors whose message is enough for an operator, without the stack. */
const EXPLAINED = [ConfigError, MigrationError, DatabaseUnusableError, AddressUnusableError];

async function start(): Promise<void> {
  const config = loadConfig();
  const { databaseUrl, databaseWaitMs, logLevel } = config;
  const early = createLogger(logLevel);
  await awaitDatabase(databaseUrl, databaseWaitMs, (line) => {
    early.warn(line);
  });
  await requireSchema(databaseUrl);
  const app = await createApp(config);
  const { port, host, startedByNpm, production, warnings } = app.get(AppConfig);
  const logger = new Logger('Start');
  const ofDatabase = production ? await databaseWarnings(databaseUrl).catch(() => []) : [];
  for (const warning of [...warnings, ...ofDatabase]) logger.warn(warning);
  await app
    .get(CollationCheck)
    .changed()
    .catch(() => false);
  const shutdown = new Shutdown(app);
  shutdown.install();
  if (startedByNpm) shutdown.followNpm();
  await listen(app, { port, host, production }).catch(explainAddress);
  logger.log(`Version ${VERSION}. Listening on ${await app.getUrl()}`);
}

// Starts the server. If the start fails, prints the reason and ends the process.
await start().catch((error: unknown) => {
  const explained = EXPLAINED.some((type) => error instanceof type);
  process.stderr.write(`${explained ? (error as Error).message : String((error as Error).stack)}\n`);
  process.exit(1);
});
