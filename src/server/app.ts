import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../app.module.js';
import { PreparedExpressAdapter, connectionsOf } from './prepared-express.adapter.js';
import { AppConfig } from '../config/app-config.js';
import { withInstallation } from '../data/schema/installation.js';
import type { ProviderDefinition } from '../payments/providers/provider-definition.js';
import { PROVIDERS } from '../payments/providers/provider-registry.js';
import { peerConnections } from '../common/http/connections.js';
import type { INestApplication } from '@nestjs/common';
import cookieParser from 'cookie-parser';
import type { Express } from 'express';
import helmet from 'helmet';
import { serveApiDescription } from './api-description.js';
import { limitPages, limitRefusedBodies } from '../auth/limits/outside-routes.js';
import { strongTag } from '../common/http/kept-answers.js';
import { parseBodies } from '../common/http/json-body.js';
import { securityHeaders } from '../common/http/security-headers.js';
import { allowOrigins, serviceOrigin, setServiceAddress } from '../common/http/origins.js';
import { rememberRequest } from '../common/http/request-context.js';
import { refuseUnreadable } from '../common/http/unreadable-requests.js';
import { createLogger, PinoNestLogger, requestLogger } from '../common/logging/logger.js';
import { Metrics, timeRequests } from '../common/metrics/metrics.js';
import { validationPipe } from '../common/validation/validation.pipe.js';
import { sendKeptAnswers } from './public-answers.js';
import { LiveAdapter } from '../gateway/live.adapter.js';
import { LogoTones } from '../pages/logo-tones.js';
import { NavigationErrors } from '../pages/page-errors.js';
import { FILES_PATH, webFiles } from '../pages/web-files.js';
import { PaymentProviders } from '../payments/providers/payment-providers.js';
import { warnOfUnreadForwarding } from '../common/http/client-address.js';
import { OWN_PAGE_PATH } from '../mail/content/own-page-email.js';
import { DONATE_PATH } from '../pages/donate/donate-view.js';
import { SettingsService } from '../settings/settings.service.js';
import { PLEDGE_PATH } from '../pledges/emails/own-pledges.service.js';
import { TRIBUTE_PATH } from '../tributes/tribute-emails.service.js';

/**
 * Creates the whole application, set up but not listening.
 * @param providers the payment providers whose sections `config` contains
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

/** Sets up everything except the modules. Used by the server and by tests. */
export function setUpApp(app: INestApplication): void {
  const config = app.get(AppConfig);
  const logger = createLogger(config.logLevel);
  app.useLogger(new PinoNestLogger(logger));
  const express: Express = (app as NestExpressApplication).getHttpAdapter().getInstance();
  express.disable('x-powered-by');
  express.set('trust proxy', config.trustProxy);
  express.set('etag', strongTag);
  setServiceAddress(express, config.publicUrlGiven ? config.publicUrl : undefined);
  // Query parameters must be single values. `?a=1&a=2` becomes an array, which no parameter accepts, and `?a[b]=1` does not
  // become an object.
  express.set('query parser', 'simple');
  if (config.metricsPort !== undefined) app.use(timeRequests(app.get(Metrics)));
  app.use(requestLogger(logger), rememberRequest, securityHeaders);
  if (config.trustProxy === false) app.use(warnOfUnreadForwarding());
  app.use('/docs', pageOfThisHost);
  // Static files come before all slow steps. They have no rate limit, because all phones of a venue load them at once.
  app.use(FILES_PATH, webFiles().handler);
  // Cached answers come before the steps that only other requests need, such as cookies, bodies and routes.
  app.use(allowOrigins(config), refuseUnreadable, sendKeptAnswers(app), cookieParser());
  parseBodies(
    app,
    app.get(PaymentProviders).webhookPaths,
    [DONATE_PATH, PLEDGE_PATH, OWN_PAGE_PATH],
    UNREAD_PATHS,
    serviceOrigin(config),
  );
  limitRefusedBodies(app);
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new NavigationErrors(app.get(Metrics), app.get(SettingsService), app.get(LogoTones)));
  app.useWebSocketAdapter(new LiveAdapter(app, connectionsOf(app)));
  limitPages(app, '/docs');
  serveApiDescription(app);
}

/**
 * Paths whose bodies are not parsed here. The route reads a file after the caller is checked. Mail programs end e-mails, and stop charges, with a form
 * of any type, and the token in the address is all that counts.
 */
const UNREAD_PATHS = [
  '/images',
  '/events/:id/imports',
  `${PLEDGE_PATH}/:token/unsubscribe`,
  `${DONATE_PATH}/:slug/ready/stop`,
  `${TRIBUTE_PATH}/:token`,
];

/** Content policy for the page of the API description, which has its own scripts and styles. */
const pageOfThisHost = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    frameAncestors: ["'none'"],
  },
});
