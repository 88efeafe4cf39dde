import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { createApp } from './app.js';
import { AppConfig } from './config/app-config.js';
import { ConfigError } from './config/environment.js';
import { loadConfig } from './load-config.js';
import { MigrationError } from './data/migrations.js';
import { requireSchema } from './data/schema-check.js';
import { Shutdown } from './shutdown.js';

async function main(): Promise<void> {
  const config = loadConfig();
  await requireSchema(config.databaseUrl);
  const app = await createApp(config);
  const { port, host, startedByNpm, warnings } = app.get(AppConfig);
  const logger = new Logger('Start');
  for (const warning of warnings) logger.warn(warning);
  const shutdown = new Shutdown(app);
  shutdown.install();
  if (startedByNpm) shutdown.followNpm();
  await app.listen(port, host);
  logger.log(`Listening on ${await app.getUrl()}`);
}

main().catch((error: unknown) => {
  const explained = error instanceof ConfigError || error instanceof MigrationError;
  process.stderr.write(`${explained ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
});
