import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import type { NestExpressApplication } from '@nestjs/platform-express';
import supertest from 'supertest';
import type TestAgent from 'supertest/lib/agent.js';
import { createApp } from '../../src/server/app.js';
import { connectionsOf } from '../../src/server/prepared-express.adapter.js';
import { DATABASE_TIMES, type AppConfig } from '../../src/config/app-config.js';
import { loadConfig } from '../../src/server/load-config.js';
import type { ProviderDefinition } from '../../src/payments/providers/provider-definition.js';
import { createTestDatabase } from './database.js';

export const TEST_SECRETS = {
  JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
  PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
};

/** Limits so high that no test reaches them. */
export const NO_LIMITS: AppConfig['limits'] = {
  perMinute: 1_000_000,
  authPerMinute: 1_000_000,
  trustedFactor: 50,
  intentsPerAddress: 1_000_000,
  intentsPerEvent: 1_000_000,
  intentsPerEmail: 1_000_000,
};

// On two cores with two browsers, PostgreSQL once took longer for ten new connections than the service waits.
const PATIENT = { ...DATABASE_TIMES, connectMs: 20_000 };

export interface TestApp {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly databaseUrl: string;
  /** Sends requests without a token and without cookies. */
  readonly http: ReturnType<typeof supertest>;
  /** A client that keeps its cookies, as a browser does. */
  agent(): TestAgent;
  close(): Promise<void>;
}

/**
 * Starts the whole application with its own database, on a free port of 127.0.0.1. Rate limits are high unless
 * `overrides.limits` sets them. Scheduled work runs only with `overrides.schedules`.
 */
export async function startApp(
  environment: NodeJS.ProcessEnv = {},
  overrides: Partial<AppConfig> = {},
  databaseUrl?: string,
  providers?: readonly ProviderDefinition[],
): Promise<TestApp> {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'donations-test-'));
  const url = databaseUrl ?? database?.url ?? '';
  const config = loadConfig(
    {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      ...TEST_SECRETS,
      ...environment,
    },
    {
      databasePoolSize: 8,
      databaseTimes: PATIENT,
      schedules: false,
      limits: NO_LIMITS,
      ...overrides,
    },
    providers,
  );
  const app = await createApp(config, providers);
  await app.listen(0, '127.0.0.1');
  const address = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    app,
    url: address,
    databaseUrl: url,
    http: supertest(address),
    agent: () => supertest.agent(address),
    close: async () => {
      await stop(app);
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Maximum time for running requests when the application stops. */
const GRACE_MS = 1_000;
const CUT_EVERY_MS = 100;

/**
 * Stops the application as `Shutdown` stops its process. Node's `close()` alone waits without a limit for a silent connection,
 * and for sockets that a browser opens again during the shutdown.
 */
async function stop(app: NestExpressApplication): Promise<void> {
  const connections = connectionsOf(app);
  const began = performance.now();
  const cut = setInterval(() => {
    app.getHttpServer().closeIdleConnections();
    if (performance.now() - began > GRACE_MS) for (const [socket] of connections.all()) socket.destroy();
  }, CUT_EVERY_MS);
  try {
    await app.close();
  } finally {
    clearInterval(cut);
  }
}
