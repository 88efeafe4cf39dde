import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { setUpApp } from './app.setup.js';
import { PreparedExpressAdapter } from './common/http/prepared-express.adapter.js';
import type { AppConfig } from './config/app-config.js';

/** The whole application, set up and not yet listening. */
export async function createApp(config: AppConfig): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(config),
    new PreparedExpressAdapter(),
    { bodyParser: false, bufferLogs: true, abortOnError: false },
  );
  setUpApp(app);
  return app;
}
