import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { createApp } from './app.js';
import { AppConfig } from './config/app-config.js';
import { ConfigError } from './config/environment.js';
import { loadConfig } from './load-config.js';
import { Shutdown } from './shutdown.js';

async function main(): Promise<void> {
  const app = await createApp(loadConfig());
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
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
});
