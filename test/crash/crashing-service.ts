import { execFile } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { type Fault } from '../../sandbox/calls/faults.js';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { newId } from '../../src/common/crypto/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { freePort } from '../support/redis.js';
import { type DatabaseTap, startDatabaseTap } from './database-tap.js';
import { until } from '../support/until.js';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const TAKE = "SELECT pg_advisory_lock(hashtextextended('reconciliation', 7002))";

/** A server process that the test can kill and restart, with its database and its providers. */
export class CrashingService {
  private constructor(
    readonly databaseUrl: string,
    readonly sandbox: Sandbox,
    readonly tap: DatabaseTap,
    private readonly database: TestDatabase,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly schedule: pg.Client,
    private server: ServerProcess,
    private token = '',
  ) {}

  /** @param more further environment of the server, such as the one of a mail server */
  static async start(more: NodeJS.ProcessEnv = {}): Promise<CrashingService> {
    const database = await createTestDatabase();
    const sandbox = await startSandbox({
      stripe: STRIPE,
      paypal: PAYPAL,
      // The sandbox does not send interrupted webhooks again, because the test does it.
      delivery: { retryDelaysMs: [], timeoutMs: 120_000 },
    });
    sandbox.setDeliveryMode('manual');
    const tap = await startDatabaseTap(database.url);
    const environment = {
      ...providerEnvironment(sandbox),
      NODE_ENV: 'test',
      PATH: process.env.PATH,
      PORT: String(await freePort()),
      // The test stops several connections at the same time. The pool must have more connections than that.
      DATABASE_POOL_SIZE: '24',
      JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
      PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
      ...more,
    };
    // Holds the lock of reconciliation, so that the server's own schedule does nothing.
    const schedule = new pg.Client({ connectionString: database.url });
    schedule.on('error', () => undefined);
    await schedule.connect();
    await schedule.query(TAKE);
    const server = await startServerProcess({ ...environment, DATABASE_URL: tap.url });
    sandbox.setWebhookUrls({
      stripe: `${server.url}/donations/cardprocessor/webhook`,
      paypal: `${server.url}/donations/wallet/webhook`,
    });
    const service = new CrashingService(database.url, sandbox, tap, database, environment, schedule, server);
    const { email } = await createAdmin(service);
    const login = await service.call('POST', '/auth/login', { email, password: ADMIN_PASSWORD });
    service.token = login.body.accessToken as string;
    return service;
  }

  get address(): string {
    return this.server.url;
  }

  async call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /**
   * Creates an event for one donation only. Otherwise a stopped transaction would block others, because it locks the totals of
   * its event.
   */
  async newEvent(): Promise<string> {
    const { body } = await this.call('POST', '/events', {
      name: 'Gala',
      slug: `gala-${newId()}`,
      goalAmount: 1_000_000,
    });
    return body.id as string;
  }

  /** Sends a request and ignores its failure, because the server dies during this request. */
  leave(request: Promise<unknown>): void {
    request.catch(() => undefined);
  }

  /** Kills the process with SIGKILL and starts a new one on the same database and address. */
  async crash(): Promise<void> {
    await this.server.kill('SIGKILL');
    this.sandbox.faults.clear();
    this.server = await startServerProcess({ ...this.environment, DATABASE_URL: this.tap.url });
  }

  /** Arms a fault. Resolves when the fault has occurred and the provider has still completed its work (`done`). */
  strike(fault: Fault, done: () => boolean = () => true): Promise<void> {
    const id = this.sandbox.faults.add(fault);
    return until(() => !this.sandbox.faults.list().some((armed) => armed.id === id) && done());
  }

  /** Runs `npm run reconcile` without building first. */
  async reconcile(environment: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
    await this.schedule.query('SELECT pg_advisory_unlock_all()');
    const ended = await runScript('scripts/reconcile.mjs', {
      ...this.environment,
      DATABASE_URL: this.databaseUrl,
      ...environment,
    });
    await this.schedule.query(TAKE);
    return ended;
  }

  /** Runs `npm run reconcile`, and kills it with SIGKILL before this statement. */
  async killReconciliationBefore(statement: string): Promise<void> {
    const held = this.tap.holdBefore({ statement });
    await this.schedule.query('SELECT pg_advisory_unlock_all()');
    const env = { ...this.environment, DATABASE_URL: this.tap.url };
    const reconciling = execFile(process.execPath, ['scripts/reconcile.mjs'], { env });
    const exited = once(reconciling, 'exit');
    await held;
    reconciling.kill('SIGKILL');
    await exited;
    this.tap.breakHeld();
    await this.schedule.query(TAKE);
  }

  async stop(): Promise<void> {
    // A server whose transaction is still stopped would never end by itself. So it is killed.
    await this.server.kill('SIGKILL');
    await this.schedule.end();
    await this.sandbox.close();
    await this.tap.close();
    await this.database.drop();
  }
}

export function runScript(
  script: string,
  environment: NodeJS.ProcessEnv,
  given: readonly string[] = [],
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...given], { env: environment }, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
        output: stdout + stderr,
      });
    });
  });
}

/** Moves the steps at which a provider hangs to the end, so that the test kills the server before its timeout. */
export const hangingLast = <Step extends string>(steps: readonly Step[], hanging: RegExp): Step[] =>
  [...steps].sort((one, other) => Number(hanging.test(one)) - Number(hanging.test(other)));
