import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../app.module.js';
import { setUpApp } from './app.setup.js';
import { peerConnections } from '../common/http/connection-limit.js';
import { PreparedExpressAdapter } from './prepared-express.adapter.js';
import type { AppConfig } from '../config/app-config.js';
import { withInstallation } from '../data/schema/installation.js';
import type { ProviderDefinition } from '../payments/providers/provider-definition.js';
import { PROVIDERS } from '../payments/providers/provider-registry.js';

/**
 * The whole application, set up and not yet listening.
 * @param providers the payment providers whose sections `config` was read with
 */
export async function createApp(
  config: AppConfig,
  providers: readonly ProviderDefinition[] = PROVIDERS,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(await withInstallation(config), providers),
    new PreparedExpressAdapter(peerConnections(config)),
    { bodyParser: false, bufferLogs: true, abortOnError: false },
  );
  setUpApp(app);
  return app;
}
