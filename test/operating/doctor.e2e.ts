import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { CORE_VARIABLES } from '../../src/config/core-variables.js';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import type { CheckResult, Finding } from '../../src/health/checks/check.js';
import { whatToWrite } from '../../src/health/checks/what-to-write.js';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { diagnose } from '../../src/operator/doctor.js';
import type { ProviderDefinition } from '../../src/payments/providers/provider-definition.js';
import { PROVIDERS } from '../../src/payments/providers/provider-registry.js';
import { startApp, type TestApp } from '../support/app.js';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js';
import { MailServer } from '../support/mail-server.js';
import {
  describeWithPostgresPrograms,
  type PostgresServer,
  startPostgresServer,
} from '../support/postgres-server.js';
import {
  type PublicAddress,
  type PublicAddressOptions,
  startPublicAddress,
} from '../support/public-address.js';
import { freePort, type RedisProcess, startRedis } from '../support/redis.js';
import { withOpened } from '../support/setup.js';

type Surroundings = NonNullable<Parameters<typeof diagnose>[1]>;

/** A mistake of an operator. `line` is the variable or setting that the doctor must name. */
interface Mistake {
  readonly name: string;
  readonly line: string;
  readonly says: RegExp;
  /** Changed variables, or a function that breaks a part and returns them. */
  readonly plant: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>);
  readonly around?: () => Surroundings | Promise<Surroundings>;
  /** Repairs the part. */
  readonly repair?: () => unknown;
}

const LIVE = { secretKey: 'sk_live_51Hq8sVmXw2Lp', webhookSecret: 'whsec_Zk3v9Qm1xT7bL5nR' };
const PAYPAL = {
  clientId: `A${'bKf3'.repeat(20)}`,
  clientSecret: `E${'cZt7'.repeat(20)}`,
  webhookId: '4JH86294D6297924G',
};
const DATABASE_PASSWORD = 'Hq81mZxPw0';

describeWithPostgresPrograms('npm run doctor', () => {
  const postgres: PostgresServer = withOpened(() => startPostgresServer(['fsync=on']));
  let redis: RedisProcess;
  let broken: RedisProcess;
  let mail: MailServer;
  let identity: IdentityProvider;
  let sandbox: Sandbox;
  let service: TestApp;
  let address: PublicAddress;
  let silent: Server;
  let folder: string;
  let healthy: NodeJS.ProcessEnv;
  let around: Surroundings;
  let databases = 0;
  const opened: { stop(): Promise<void> }[] = [];

  const run = async (database: string, text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: postgres.url(database) });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  const urlOf = (database: string, role = 'service') => {
    const url = new URL(postgres.url(database, role));
    url.password = DATABASE_PASSWORD;
    return url.href;
  };
  /** Returns the address of a copy of the healthy database after the given statements. */
  const copy = async (...statements: string[]) => {
    const name = `copy_${++databases}`;
    await run('postgres', `CREATE DATABASE ${name} TEMPLATE ready OWNER service`);
    for (const text of statements) await run(name, text.replaceAll('$name', name));
    return { DATABASE_URL: urlOf(name) };
  };
  const setRedis = async (...command: [string, ...string[]]) => {
    const client = new Redis(broken.url);
    await client.call(...command);
    client.disconnect();
    return { REDIS_URL: broken.url };
  };
  const publicAddress = async (options: PublicAddressOptions) => {
    const other = await startPublicAddress(() => service.url, options);
    opened.push(other);
    return other;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'donations-doctor-'));
    await run('postgres', 'CREATE ROLE service LOGIN; CREATE ROLE stranger LOGIN');
    await run('postgres', 'CREATE DATABASE ready OWNER service');
    await applyMigrations(urlOf('ready'));
    await seedAdmin({ databaseUrl: urlOf('ready'), email: 'admin@charity.test' });
    await run('ready', 'INSERT INTO last_backup (id, finished_at, bytes) VALUES (1, now(), 1000)');
    const { DATABASE_URL } = await copy();
    const port = await freePort();
    [redis, broken] = (await Promise.all([startRedis(), startRedis()])) as [RedisProcess, RedisProcess];
    mail = await MailServer.start();
    sandbox = await startSandbox({ stripe: LIVE, paypal: PAYPAL });
    silent = createServer().listen(0, '127.0.0.1');
    address = await startPublicAddress(() => service.url);
    identity = await startIdentityProvider(`${address.url}/auth/idp/callback`);
    sandbox.setWebhookUrls({
      stripe: `${address.url}/donations/cardprocessor/webhook`,
      paypal: `${address.url}/donations/wallet/webhook`,
    });
    healthy = {
      NODE_ENV: 'production',
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL,
      REDIS_URL: redis.url,
      JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
      PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
      CORS_ORIGINS: 'https://www.charity.test',
      TRUST_PROXY: '1',
      TRUSTED_NETWORKS: '203.0.113.0/24',
      DATA_DIR: join(folder, 'data'),
      PUBLIC_URL: address.url,
      SMTP_URL: mail.url,
      MAIL_FROM: 'Gala <gala@charity.test>',
      IDP_ISSUER: identity.issuer,
      IDP_CLIENT_ID: CLIENT.id,
      IDP_CLIENT_SECRET: CLIENT.secret,
      IDP_CALLBACK_URL: `${address.url}/auth/idp/callback`,
      STRIPE_SECRET_KEY: LIVE.secretKey,
      STRIPE_WEBHOOK_SECRET: LIVE.webhookSecret,
      STRIPE_PUBLISHABLE_KEY: 'pk_live_51Hq8sVmXw2Lp',
      PAYPAL_CLIENT_ID: PAYPAL.clientId,
      PAYPAL_CLIENT_SECRET: PAYPAL.clientSecret,
      PAYPAL_WEBHOOK_ID: PAYPAL.webhookId,
      PAYPAL_MERCHANT_ID: 'MERCHANT1',
    };
    // The live addresses of the providers lead to the sandbox.
    const providers = PROVIDERS.map((definition): ProviderDefinition => ({
      ...definition,
      create: (settings, context) =>
        definition.create({ ...(settings as object), apiUrl: new URL(sandbox.url) }, context),
    }));
    service = await startApp({ PORT: healthy.PORT, TRUST_PROXY: '1' }, {}, DATABASE_URL);
    around = {
      providers,
      lookup: address.lookup,
      ca: address.ca,
      mailHosts: (domain) =>
        domain === 'charity.test'
          ? Promise.resolve([domain])
          : Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })),
    };
  });
  afterAll(async () => {
    await service.close();
    silent.close();
    for (const one of [address, identity, mail, redis, broken, ...opened]) await one.stop();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const examine = (changes: NodeJS.ProcessEnv = {}, other: Surroundings = {}) =>
    diagnose({ ...healthy, ...changes }, { ...around, ...other });
  const findingsOf = (results: readonly CheckResult[]): Finding[] =>
    results.flatMap(({ findings }) => findings);

  it('a healthy installation has no findings, and every check is made', async () => {
    const results = await examine();
    expect(findingsOf(results)).toEqual([]);
    expect(results.filter(({ state }) => state !== 'ok')).toEqual([]);
  });

  const MISTAKES: readonly Mistake[] = [
    // The environment.
    { name: 'no NODE_ENV', line: 'NODE_ENV', says: /not production/, plant: { NODE_ENV: '' } },
    { name: 'an invalid NODE_ENV', line: 'NODE_ENV', says: /must be one of/, plant: { NODE_ENV: 'prod' } },
    { name: 'a port in words', line: 'PORT', says: /port number/, plant: { PORT: 'http' } },
    {
      name: 'a misspelt variable',
      line: 'PUBLIC_ULR',
      says: /did you mean PUBLIC_URL/,
      plant: { PUBLIC_ULR: 'x' },
    },
    {
      name: 'a value in quotes',
      line: 'PAYPAL_MERCHANT_ID',
      says: /quotes/,
      plant: { PAYPAL_MERCHANT_ID: '"M1"' },
    },
    { name: 'a short secret', line: 'JWT_SECRET', says: /32 bytes/, plant: { JWT_SECRET: 'short' } },
    {
      name: 'a placeholder secret',
      line: 'JWT_SECRET',
      says: /placeholder/,
      plant: { JWT_SECRET: 'change-me-change-me-change-me-0123456789' },
    },
    { name: 'no PIN_SECRET', line: 'PIN_SECRET', says: /required/, plant: { PIN_SECRET: '' } },
    {
      name: 'one secret for both',
      line: 'JWT_SECRET',
      says: /must differ/,
      plant: () => ({ JWT_SECRET: healthy.PIN_SECRET }),
    },
    {
      name: 'a reused secret',
      line: 'IDP_CLIENT_SECRET',
      says: /same secret as JWT_SECRET/,
      plant: () => ({ IDP_CLIENT_SECRET: healthy.JWT_SECRET }),
    },
    {
      name: 'the password of an example',
      line: 'DATABASE_URL',
      says: /password/,
      plant: () => ({ DATABASE_URL: healthy.DATABASE_URL?.replace(DATABASE_PASSWORD, 'password') }),
    },
    {
      name: 'a password left behind',
      line: 'ADMIN_PASSWORD',
      says: /still here/,
      plant: { ADMIN_PASSWORD: 'Kd93jfQ2lsPw' },
    },
    {
      name: 'an address without TLS',
      line: 'PUBLIC_URL',
      says: /https/,
      plant: { PUBLIC_URL: 'http://give.charity.test' },
    },
    {
      name: 'an address with a path',
      line: 'PUBLIC_URL',
      says: /no path/,
      plant: { PUBLIC_URL: 'https://charity.test/give' },
    },
    {
      name: 'an address without a scheme',
      line: 'PUBLIC_URL',
      says: /URL/,
      plant: { PUBLIC_URL: 'give.charity.test' },
    },
    { name: 'no address', line: 'PUBLIC_URL', says: /required/, plant: { PUBLIC_URL: '' } },
    {
      name: 'an example address',
      line: 'PUBLIC_URL',
      says: /is an example/,
      plant: { PUBLIC_URL: 'https://give.example.org' },
    },
    {
      name: 'an address of this machine',
      line: 'PUBLIC_URL',
      says: /only this machine/,
      plant: { PUBLIC_URL: 'http://localhost:3000' },
    },
    {
      name: 'an address of the hall',
      line: 'PUBLIC_URL',
      says: /private network/,
      plant: { PUBLIC_URL: 'https://donations.local' },
    },
    {
      name: 'a slash at the end for Caddy',
      line: 'PUBLIC_URL',
      says: /Caddy/,
      plant: () => ({ PUBLIC_URL: `${address.url}/`, COMPOSE_PROFILES: 'tls' }),
    },
    { name: 'no trust in the proxy', line: 'TRUST_PROXY', says: /is off/, plant: { TRUST_PROXY: '' } },
    { name: 'trust in everybody', line: 'TRUST_PROXY', says: /never "true"/, plant: { TRUST_PROXY: 'true' } },
    {
      name: 'trust in the whole internet',
      line: 'TRUST_PROXY',
      says: /too wide/,
      plant: { TRUST_PROXY: '0.0.0.0/0' },
    },
    {
      name: 'a venue of the whole internet',
      line: 'TRUSTED_NETWORKS',
      says: /too wide/,
      plant: { TRUSTED_NETWORKS: '0.0.0.0/0' },
    },
    {
      name: 'an invalid venue',
      line: 'TRUSTED_NETWORKS',
      says: /CIDR/,
      plant: { TRUSTED_NETWORKS: '203.0.113.0/99' },
    },
    {
      name: 'webhooks to cloud credentials',
      line: 'WEBHOOK_PRIVATE_NETWORKS',
      says: /cloud credentials/,
      plant: { WEBHOOK_PRIVATE_NETWORKS: '169.254.0.0/16' },
    },
    { name: 'all origins', line: 'CORS_ORIGINS', says: /wildcard/, plant: { CORS_ORIGINS: '*' } },
    {
      name: 'an origin with a slash',
      line: 'CORS_ORIGINS',
      says: /never match/,
      plant: { CORS_ORIGINS: 'https://www.charity.test/' },
    },
    {
      name: 'an origin of development',
      line: 'CORS_ORIGINS',
      says: /development/,
      plant: { CORS_ORIGINS: 'http://localhost:5173' },
    },
    {
      name: 'certificates that nobody checks',
      line: 'NODE_TLS_REJECT_UNAUTHORIZED',
      says: /not checked/,
      plant: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    },
    { name: 'an unknown time zone', line: 'TZ', says: /no time zone/, plant: { TZ: 'Europe/Berln' } },
    {
      name: 'a password with a slash',
      line: 'POSTGRES_PASSWORD',
      says: /letters and digits/,
      plant: { POSTGRES_PASSWORD: 'kd93/jfQ2l' },
    },
    { name: 'backups once a month', line: 'BACKUP_HOURS', says: /1 to 24/, plant: { BACKUP_HOURS: '720' } },
    {
      name: 'a metrics port equal to the port',
      line: 'METRICS_PORT',
      says: /differ/,
      plant: () => ({ METRICS_PORT: healthy.PORT }),
    },
    { name: 'no log', line: 'LOG_LEVEL', says: /hides/, plant: { LOG_LEVEL: 'silent' } },
    // Providers.
    {
      name: 'a publishable key as secret',
      line: 'STRIPE_SECRET_KEY',
      says: /publishable/,
      plant: { STRIPE_SECRET_KEY: 'pk_live_51Hq8sVmXw2Lp' },
    },
    {
      name: 'a test key',
      line: 'STRIPE_SECRET_KEY',
      says: /test key/,
      plant: { STRIPE_SECRET_KEY: 'sk_test_51Hq8sVmXw2Lp' },
    },
    {
      name: 'a publishable key of the other mode',
      line: 'STRIPE_PUBLISHABLE_KEY',
      says: /live key/,
      plant: { STRIPE_PUBLISHABLE_KEY: 'pk_test_51Hq8sVmXw2Lp' },
    },
    {
      name: 'no webhook secret',
      line: 'STRIPE_WEBHOOK_SECRET',
      says: /together/,
      plant: { STRIPE_WEBHOOK_SECRET: '' },
    },
    {
      name: 'an odd webhook secret',
      line: 'STRIPE_WEBHOOK_SECRET',
      says: /whsec_/,
      plant: { STRIPE_WEBHOOK_SECRET: 'Zk3v9Qm1xT7bL5nR' },
    },
    {
      name: 'swapped card secrets',
      line: 'STRIPE_WEBHOOK_SECRET',
      says: /swapped/,
      plant: { STRIPE_WEBHOOK_SECRET: LIVE.secretKey, STRIPE_SECRET_KEY: LIVE.webhookSecret },
    },
    {
      name: 'a key that Stripe does not know',
      line: 'STRIPE_SECRET_KEY',
      says: /refused by the provider/,
      plant: { STRIPE_SECRET_KEY: 'sk_live_51Revoked0000' },
    },
    {
      name: 'swapped wallet secrets',
      line: 'PAYPAL_CLIENT_ID',
      says: /swapped/,
      plant: { PAYPAL_CLIENT_ID: PAYPAL.clientSecret, PAYPAL_CLIENT_SECRET: PAYPAL.clientId },
    },
    {
      name: 'a secret that PayPal does not know',
      line: 'PAYPAL_CLIENT_SECRET',
      says: /refused by the provider/,
      plant: { PAYPAL_CLIENT_SECRET: `E${'x9Qm'.repeat(20)}` },
    },
    {
      name: "the webhook's address as id",
      line: 'PAYPAL_WEBHOOK_ID',
      says: /id of the webhook/,
      plant: { PAYPAL_WEBHOOK_ID: 'https://x.test' },
    },
    { name: 'no merchant', line: 'PAYPAL_MERCHANT_ID', says: /not set/, plant: { PAYPAL_MERCHANT_ID: '' } },
    // The database.
    {
      name: 'a database that is away',
      line: 'DATABASE_URL',
      says: /not usable/,
      plant: async () => ({
        DATABASE_URL: `postgresql://service:${DATABASE_PASSWORD}@127.0.0.1:${await freePort()}/donations`,
      }),
    },
    {
      name: 'a database that is silent',
      line: 'DATABASE_URL',
      says: /not usable/,
      plant: () => ({
        DATABASE_URL: `postgresql://service:${DATABASE_PASSWORD}@127.0.0.1:${(silent.address() as { port: number }).port}/donations`,
      }),
    },
    {
      name: 'an unknown database',
      line: 'DATABASE_URL',
      says: /does not exist/,
      plant: () => ({ DATABASE_URL: urlOf('nowhere') }),
    },
    {
      name: 'an unknown role',
      line: 'DATABASE_URL',
      says: /does not exist/,
      plant: () => ({ DATABASE_URL: urlOf('ready', 'nobody') }),
    },
    {
      name: 'a role without rights',
      line: 'DATABASE_URL',
      says: /without the necessary rights/,
      plant: () => ({ DATABASE_URL: urlOf('ready', 'stranger') }),
    },
    {
      name: 'a missing migration',
      line: 'the schema',
      says: /older than this release/,
      plant: () =>
        copy(
          'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
        ),
    },
    {
      name: 'a schema of a later release',
      line: 'the schema',
      says: /newer than this release/,
      plant: () =>
        copy(
          "UPDATE _prisma_migrations SET migration_name = '29990101000000_later' WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)",
        ),
    },
    {
      name: 'a database without tables',
      line: 'the schema',
      says: /missing all/,
      plant: () => copy('DROP SCHEMA public CASCADE', 'CREATE SCHEMA public AUTHORIZATION service'),
    },
    {
      name: 'a read-only database',
      line: 'DATABASE_URL',
      says: /read-only/,
      plant: () => copy('ALTER DATABASE $name SET default_transaction_read_only = on'),
    },
    {
      name: 'commits that are not waited for',
      line: 'synchronous_commit',
      says: /off/,
      plant: () => copy('ALTER DATABASE $name SET synchronous_commit = off'),
    },
    {
      name: 'another collation',
      line: 'the collation',
      says: /changed after its indexes/,
      plant: () => copy("UPDATE pg_database SET datcollversion = '1' WHERE datname = '$name'"),
    },
    {
      name: 'too few connections',
      line: 'DATABASE_POOL_SIZE',
      says: /accepts 10 connections/,
      plant: () => copy('ALTER DATABASE $name CONNECTION LIMIT 10'),
    },
    {
      name: 'another PIN_SECRET',
      line: 'PIN_SECRET',
      says: /not the value/,
      plant: { PIN_SECRET: 'pin-Other2Nf6eK4tB1mV9zX3qH7rC5dJ0sG' },
    },
    {
      name: 'no admin',
      line: 'the accounts',
      says: /no admin/,
      plant: () => copy('UPDATE admin SET disabled_at = now()'),
    },
    {
      name: 'old backups',
      line: 'the backups',
      says: /30 hours old/,
      plant: () => copy("UPDATE last_backup SET finished_at = now() - interval '30 hours 10 minutes'"),
    },
    {
      name: 'no backups',
      line: 'the backups',
      says: /never recorded/,
      plant: () => copy('DELETE FROM last_backup'),
    },
    {
      name: 'webhooks with a wrong signature',
      line: 'STRIPE_WEBHOOK_SECRET',
      says: /signatures/,
      plant: () =>
        copy(
          "INSERT INTO provider_health (provider, last_refused_at, refused_for) VALUES ('stripe', now(), 'signature')",
        ),
    },
    {
      name: 'webhooks that do not arrive',
      line: 'PAYPAL_WEBHOOK_ID',
      says: /gets no events/,
      plant: () => copy("INSERT INTO provider_health (provider, missing_since) VALUES ('paypal', now())"),
    },
    {
      name: 'everybody with the address of the proxy',
      line: 'TRUST_PROXY',
      says: /172\.18\.0\.1/,
      plant: () =>
        copy(
          `INSERT INTO audit_entry (id, actor_kind, action, detail, address)
            SELECT gen_random_uuid(), 'system', 'session.end_all', '{}', '172.18.0.1' FROM generate_series(1, 6)`,
        ),
    },
    // Redis.
    {
      name: 'a Redis that is away',
      line: 'REDIS_URL',
      says: /not reachable/,
      plant: async () => ({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` }),
    },
    {
      name: 'a Redis that forgets limits',
      line: 'maxmemory-policy',
      says: /allkeys-lru/,
      plant: () => setRedis('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'),
      repair: () => setRedis('CONFIG', 'SET', 'maxmemory-policy', 'noeviction'),
    },
    {
      name: 'a full Redis',
      line: 'REDIS_URL',
      says: /full/,
      plant: () => setRedis('CONFIG', 'SET', 'maxmemory', '1'),
      repair: () => setRedis('CONFIG', 'SET', 'maxmemory', '0'),
    },
    {
      name: 'a read-only Redis',
      line: 'REDIS_URL',
      says: /read-only/,
      plant: () => setRedis('REPLICAOF', '127.0.0.1', '1'),
      repair: () => setRedis('REPLICAOF', 'NO', 'ONE'),
    },
    {
      name: 'a Redis with a password',
      line: 'REDIS_URL',
      says: /denies access/,
      plant: () => setRedis('CONFIG', 'SET', 'requirepass', 'Lq83kzPw0m'),
      repair: () => broken.restart(),
    },
    // E-mail.
    { name: 'no sender', line: 'MAIL_FROM', says: /together/, plant: { MAIL_FROM: '' } },
    {
      name: 'an example as sender',
      line: 'MAIL_FROM',
      says: /is an example/,
      plant: { MAIL_FROM: 'receipts@example.org' },
    },
    {
      name: 'a sender without a mailbox',
      line: 'MAIL_FROM',
      says: /no MX/,
      plant: { MAIL_FROM: 'gala@charity.tset' },
    },
    {
      name: 'a mail server that is away',
      line: 'SMTP_URL',
      says: /not usable/,
      plant: async () => ({ SMTP_URL: `smtp://user:pass@127.0.0.1:${await freePort()}` }),
    },
    {
      name: 'a wrong password of the mail server',
      line: 'SMTP_URL',
      says: /wrong user or password/,
      plant: () => {
        mail.mode = 'no-password';
        return {};
      },
      repair: () => (mail.mode = 'accept'),
    },
    {
      name: 'TLS to a mail server without it',
      line: 'SMTP_URL',
      says: /not usable/,
      plant: () => ({ SMTP_URL: mail.url.replace('smtp:', 'smtps:') }),
    },
    {
      name: 'smtps on port 587',
      line: 'SMTP_URL',
      says: /smtp:\/\/…:587/,
      plant: { SMTP_URL: 'smtps://user:pass@127.0.0.1:587' },
    },
    // The identity provider.
    {
      name: 'half an identity provider',
      line: 'IDP_CLIENT_SECRET',
      says: /together/,
      plant: { IDP_CLIENT_SECRET: '' },
    },
    {
      name: 'an identity provider that is away',
      line: 'IDP_ISSUER',
      says: /does not answer/,
      plant: async () => ({ IDP_ISSUER: `http://127.0.0.1:${await freePort()}` }),
    },
    {
      name: 'an issuer with another name',
      line: 'IDP_ISSUER',
      says: /differs from the issuer/,
      plant: () => ({ IDP_ISSUER: identity.issuer.replace('127.0.0.1', 'localhost') }),
    },
    {
      name: 'the address of the metadata as issuer',
      line: 'IDP_ISSUER',
      says: /without \/\.well-known/,
      plant: () => ({ IDP_ISSUER: `${identity.issuer}/.well-known/openid-configuration` }),
    },
    {
      name: 'a wrong secret at the identity provider',
      line: 'IDP_CLIENT_SECRET',
      says: /refused by the identity provider/,
      plant: { IDP_CLIENT_SECRET: 'client-Wrong83kfLs02mVnq7Xz5' },
    },
    {
      name: 'a callback on another host',
      line: 'IDP_CALLBACK_URL',
      says: /begin with PUBLIC_URL/,
      plant: { IDP_CALLBACK_URL: 'https://old.charity.test/auth/idp/callback' },
    },
    // The public address.
    {
      name: 'an unknown name',
      line: 'PUBLIC_URL',
      says: /DNS does not know/,
      plant: {},
      around: () => ({
        lookup: (_host, _options, done) => {
          done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), '', 0);
        },
      }),
    },
    {
      name: 'a proxy that does not run',
      line: 'PUBLIC_URL',
      says: /nothing listens/,
      plant: async () => ({ PUBLIC_URL: `https://give.charity.test:${await freePort()}` }),
    },
    ...(
      [
        ['a certificate of another name', 'PUBLIC_URL', /certificate/, { name: 'www.charity.test' }],
        ['a certificate that ends soon', 'the certificate', /ends in \d days/, { days: 5 }],
        [
          'a redirect',
          'PUBLIC_URL',
          /another address/,
          { answer: { status: 301, headers: { location: 'https://www.charity.test/' } } },
        ],
        ['another program behind the proxy', 'PUBLIC_URL', /another program/, { answer: { status: 200 } }],
        [
          'a proxy in front of nothing',
          'PUBLIC_URL',
          /does not reach the service/,
          { answer: { status: 502 } },
        ],
        ['a proxy without WebSocket', 'the proxy', /WebSocket/, { withoutUpgrades: true }],
        ['a proxy that believes clients', 'TRUST_PROXY', /choose its own address/, { believesClients: true }],
      ] as const
    ).map(([name, line, says, options]): Mistake => {
      let other: PublicAddress;
      return {
        name,
        line,
        says,
        plant: async () => {
          other = await publicAddress(options);
          return { PUBLIC_URL: other.url };
        },
        around: () => ({ ca: other.ca }),
      };
    }),
    {
      name: 'a certificate of an unknown authority',
      line: 'PUBLIC_URL',
      says: /browsers refuse/,
      plant: {},
      around: async () => ({ ca: (await publicAddress({})).ca }),
    },
    // The machine.
    {
      name: 'the port of another program',
      line: 'PORT',
      says: /another program/,
      plant: () => ({ PORT: new URL(redis.url).port }),
    },
    {
      name: 'an address of another machine',
      line: 'HOST',
      says: /no address of this machine/,
      plant: { HOST: '203.0.113.9' },
    },
    {
      name: 'the metrics port of another program',
      line: 'METRICS_PORT',
      says: /another program/,
      plant: () => ({ METRICS_PORT: new URL(redis.url).port }),
    },
    {
      name: 'a folder that cannot be written',
      line: 'DATA_DIR',
      says: /cannot write/,
      plant: { DATA_DIR: '/dev/null/data' },
    },
    { name: 'a full disk', line: 'DATA_DIR', says: /GiB left/, plant: { DATA_DIR: '/proc' } },
    {
      name: 'a wrong clock',
      line: 'the clock',
      says: /differs/,
      plant: {},
      around: () => ({ now: () => Date.now() + 600_000 }),
    },
  ];

  it('the doctor finds all planted mistakes, and names the line to change', async () => {
    expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(MISTAKES.length);
    const missed: string[] = [];
    const said: string[] = [];
    const find = async ({ name, line, says, plant, around: also, repair }: Mistake) => {
      const changes = typeof plant === 'function' ? await plant() : plant;
      const findings = findingsOf(await examine(changes, await also?.()));
      await repair?.();
      said.push(...findings.map(({ says, write = '' }) => `${says} ${write}`));
      if (!findings.some((finding) => finding.change === line && says.test(finding.says)))
        missed.push(`${name}: ${JSON.stringify(findings)}`);
    };
    // A mistake that breaks a shared part is alone.
    const together = MISTAKES.filter(({ repair }) => repair === undefined);
    while (together.length > 0) await Promise.all(together.splice(0, 3).map(find));
    for (const mistake of MISTAKES.filter(({ repair }) => repair !== undefined)) await find(mistake);
    expect(missed).toEqual([]);
    const secrets = [healthy.JWT_SECRET, healthy.PIN_SECRET, CLIENT.secret, DATABASE_PASSWORD].concat(
      Object.values(LIVE),
      Object.values(PAYPAL),
    );
    expect(secrets.filter((secret) => said.join('\n').includes(secret ?? ''))).toEqual([]);
  });

  it('the doctor knows what to write into each variable of the service', () => {
    const variables = [...CORE_VARIABLES, ...PROVIDERS.flatMap(({ environment }) => environment.variables)];
    expect(variables.filter((name) => whatToWrite(name, PROVIDERS) === undefined)).toEqual([]);
  });

  const command = (text: string, more: NodeJS.ProcessEnv = {}) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const file = join(folder, 'donations.env');
      writeFileSync(file, text);
      chmodSync(file, 0o600);
      const options = { env: { PATH: process.env.PATH, ...more } };
      execFile(process.execPath, ['scripts/doctor.mjs', '--env', file], options, (error, stdout, stderr) => {
        resolve({
          code: error ? Number(error.code) : 0,
          output: `${stdout}${stderr}`.replaceAll(file, 'FILE'),
        });
      });
    });
  const fileOf = (variables: NodeJS.ProcessEnv) =>
    Object.entries(variables).map(([name, value = '']) => `${name}=${value}`);

  it('the command ends with 0 for an installation without mistakes, and marks the parts that are not set up', async () => {
    const own = await publicAddress({ name: 'localhost' });
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, own.ca);
    const url = own.url.replace('give.charity.test', 'localhost');
    const { code, output } = await command(
      fileOf({
        ...Object.fromEntries(
          Object.entries(healthy).filter(([name]) => !/^(SMTP|MAIL|STRIPE|PAYPAL)_/.test(name)),
        ),
        PUBLIC_URL: url,
        IDP_CALLBACK_URL: `${url}/auth/idp/callback`,
      }).join('\n'),
      { NODE_EXTRA_CA_CERTS: ca },
    );
    expect(output).toContain('✓ database\n');
    expect(output).toContain('– e-mail (not set up)\n');
    expect(output).not.toMatch(/[✗?]/);
    expect(code).toBe(0);
  });

  it('the command ends with 1 after a mistake, and names the lines of the file', async () => {
    const lines = [
      '# Our installation',
      ...fileOf({ ...healthy, JWT_SECRET: 'short', REDIS_URL: '' }),
      'TRUSTED_NETWORKS = 0.0.0.0/0',
      'and a note',
    ];
    const { code, output } = await command(lines.join('\n'));
    const lineOf = (start: string) => lines.findIndex((line) => line.startsWith(start)) + 1;
    expect(code).toBe(1);
    expect(output).toContain(
      `✗ JWT_SECRET (FILE, line ${lineOf('JWT_SECRET')}): must be at least 32 bytes\n      → a new value`,
    );
    expect(output).toContain(`✗ TRUSTED_NETWORKS (FILE, line ${lines.length - 1}): is set twice, in lines`);
    expect(output).toContain(
      `✗ TRUSTED_NETWORKS (FILE, line ${lines.length - 1}): contains a network that is too wide`,
    );
    expect(output).toContain(`✗ line ${lines.length}: is no assignment`);
    expect(output).not.toContain(healthy.PIN_SECRET);
  });

  it('the command ends with 2 if it cannot run', async () => {
    const missing = await new Promise<number>((resolve) => {
      execFile(process.execPath, ['scripts/doctor.mjs', '--env', join(folder, 'missing.env')], (error) => {
        resolve(Number(error?.code ?? 0));
      });
    });
    expect(missing).toBe(2);
  });
});
