import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretValues } from './core-rules.js';
import { CORE_VARIABLES, type Environment } from './core-variables.js';
import { ConfigError, parseEnvironment } from './environment.js';
import type { EnvironmentSection } from './environment-section.js';
import { MAIL_TIMES, type MailTimes } from './mail-times.js';
import { WEBHOOK_TIMES, type WebhookTimes } from './webhook-times.js';
import type { Mailbox } from './variables.js';
import { unknownVariables, wrappedVariables } from './known-variables.js';

/** Time limits of a database connection, in milliseconds. */
export interface DatabaseTimes {
  /** Maximum wait for a connection: for a free one of the pool, or for the server to accept a new one. */
  readonly connectMs: number;
  readonly statementMs: number;
  /**
   * Maximum wait for one lock. This is longer than `idleInTransactionMs`, so a waiting request succeeds after the locks of a
   * frozen process are released.
   */
  readonly lockMs: number;
  /** PostgreSQL ends a transaction and releases its locks if the process sends nothing for this long. */
  readonly idleInTransactionMs: number;
  /** Maximum wait for an answer. This is longer than the server's own limit, for a network that drops packets. */
  readonly answerMs: number;
}

export const DATABASE_TIMES: DatabaseTimes = {
  connectMs: 5_000,
  statementMs: 15_000,
  lockMs: 8_000,
  idleInTransactionMs: 5_000,
  answerMs: 20_000,
};

export interface IdpConfig {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly callbackUrl: URL;
  readonly successUrl: URL | undefined;
  /** True if e-mail addresses of this issuer are trusted without `email_verified`. */
  readonly trustsEmail: boolean;
  /** True if the provider asks all users for a second factor. This service then does not ask again. */
  readonly trustsSecondFactor: boolean;
}

/** A service that distinguishes human visitors from programs, such as Turnstile. */
export interface ChallengeConfig {
  readonly verifyUrl: URL;
  readonly secret: string;
  /** Public key with which pages show the challenge. */
  readonly siteKey: string;
}

/** The outgoing mail server, and the sender of e-mails. */
export interface MailConfig {
  /** Address of the mail server. It may contain a password, so never log it. */
  readonly url: string;
  readonly from: Mailbox;
}

/** Outgoing webhooks. */
export interface WebhooksConfig {
  readonly production: boolean;
  /** True in a restored copy, which must not send messages of the original. */
  readonly isOff: boolean;
  readonly ports: readonly number[];
  /** Networks, as CIDR, that webhooks may reach although they are not public. */
  readonly privateNetworks: readonly string[];
  readonly times: WebhookTimes;
}

/** Limits per minute, unless a field has another period. */
export interface LimitsConfig {
  readonly perMinute: number;
  readonly authPerMinute: number;
  readonly trustedFactor: number;
  readonly intentsPerAddress: number;
  readonly intentsPerEvent: number;
  /** Limit per ten minutes. */
  readonly intentsPerEmail: number;
}

/** The whole configuration. The server reads it once from the environment and never changes it. */
export class AppConfig {
  readonly nodeEnv: 'production' | 'development' | 'test';
  readonly production: boolean;
  readonly port: number;
  /** Address to listen at. If undefined: all addresses of the machine in production, otherwise only loopback addresses. */
  readonly host: string | undefined;
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly databaseTimes: DatabaseTimes;
  /** Maximum time that the server waits for the database at start-up. */
  readonly databaseWaitMs: number;
  readonly redisUrl: string | undefined;
  /**
   * Prefix of keys and channels in Redis that separates this installation from others. If empty, the prefix is derived from the
   * database.
   */
  readonly installation: string;
  readonly jwtSecret: string;
  /** The previous secret. It verifies older tokens, but no new token is signed with it. */
  readonly jwtSecretBefore: string | undefined;
  readonly pinSecret: string;
  /**
   * The second value during a replacement of `PIN_SECRET`. Nothing new is encrypted with it, but its ciphertexts and digests
   * stay valid.
   */
  readonly pinSecretBefore: string | undefined;
  /** Other origins whose pages may call the API, apart from this service's own origin. */
  readonly corsOrigins: readonly string[];
  readonly trustProxy: number | readonly string[] | false;
  readonly logLevel: Environment['LOG_LEVEL'];
  readonly dataDir: string;
  /** Public address of the service, without a trailing slash. */
  readonly publicUrl: string;
  /** Origin of this service's own pages; undefined in production if not configured. */
  readonly serviceOrigin: string | undefined;
  /** True if `publicUrl` was configured. Otherwise `publicUrl` is a default that works only on this machine. */
  readonly publicUrlGiven: boolean;
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly trustedNetworks: readonly string[];
  /**
   * Settings of the configured sections, by name. Only the module that defines a section knows the type of
   * its settings.
   */
  readonly sections: ReadonlyMap<string, unknown>;
  /** Maximum time for one answer of a payment provider, in milliseconds. */
  readonly providerTimeoutMs: number;
  /** If undefined, the service sends no e-mail. */
  readonly mail: MailConfig | undefined;
  readonly mailTimes: MailTimes;
  /** Duration of one minute of a played evening, in milliseconds. */
  readonly playedMinuteMs: number;
  readonly webhooks: WebhooksConfig;
  readonly idp: IdpConfig | undefined;
  readonly challenge: ChallengeConfig | undefined;
  readonly limits: LimitsConfig;
  /** Maximum number of simultaneous connections and sockets per address. */
  readonly connectionsPerAddress: number;
  /** True if reconciliation, pruning and watches run on a schedule. False in tests, which call them directly. */
  readonly schedules: boolean;
  /** True if `npm run` started the process. npm does not forward signals. */
  readonly startedByNpm: boolean;
  /** Warnings for the operator, logged at start-up. */
  readonly warnings: readonly string[];

  constructor(values: Readonly<AppConfig>) {
    Object.assign(this, values);
  }
}

/**
 * Default limit. A browser opens up to six connections, so the limit is enough for five hundred phones and the tills of a venue
 * behind one address.
 */
const CONNECTIONS_PER_ADDRESS = 5_000;

const DEFAULT_LIMITS: LimitsConfig = {
  perMinute: 100,
  authPerMinute: 10,
  trustedFactor: 50,
  intentsPerAddress: 20,
  intentsPerEvent: 3_000,
  intentsPerEmail: 10,
};

/**
 * Reads and checks the environment, including the given sections.
 * @throws ConfigError with the name of every wrong variable, but never its value
 */
export function readConfig(
  source: NodeJS.ProcessEnv = process.env,
  ownSections: readonly EnvironmentSection[] = [],
  overrides: Partial<AppConfig> = {},
): AppConfig {
  const read = ownSections.map((section) => ({ name: section.name, ...section.read(source) }));
  const production = source.NODE_ENV === 'production';
  const known = [...CORE_VARIABLES, ...ownSections.flatMap(({ variables }) => variables)];
  const parsed = parseEnvironment(source, {
    configured: read
      .filter(({ settings, problems }) => settings !== undefined || problems.length > 0)
      .map(({ name }) => name),
    problems: [...wrappedVariables(source, known), ...read.flatMap(({ problems }) => problems)],
    warnings: [
      ...unknownVariables(source, known),
      ...(production ? read.flatMap((section) => section.warnings) : []),
    ],
  });
  const { env } = parsed;
  const warnings = [...parsed.warnings];
  const secrets = production ? undefined : developmentSecrets(env, warnings);
  const [jwtSecret = '', jwtSecretBefore] = secretValues(env.JWT_SECRET ?? secrets?.jwt);
  const [pinSecret = '', pinSecretBefore] = secretValues(env.PIN_SECRET ?? secrets?.pin);
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '');
  return new AppConfig({
    nodeEnv: env.NODE_ENV,
    production,
    port: env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    databaseWaitMs: env.DATABASE_WAIT_SECONDS * 1_000,
    databaseTimes: DATABASE_TIMES,
    redisUrl: env.REDIS_URL,
    installation: env.INSTALLATION ?? '',
    jwtSecret,
    jwtSecretBefore,
    pinSecret,
    pinSecretBefore,
    corsOrigins: env.CORS_ORIGINS,
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
    dataDir: env.DATA_DIR,
    publicUrl,
    publicUrlGiven: env.PUBLIC_URL !== undefined,
    serviceOrigin: env.PUBLIC_URL || !production ? new URL(publicUrl).origin : undefined,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    trustedNetworks: env.TRUSTED_NETWORKS,
    // A restored copy has no payment providers. Otherwise its refunds and reconciliation would change payments of the original.
    sections: new Map(
      (env.RESTORED_COPY === 'true' ? [] : read).flatMap(({ name, settings }) =>
        settings === undefined ? [] : [[name, settings] as const],
      ),
    ),
    providerTimeoutMs: 10_000,
    // A restored copy also must not send e-mails to donors.
    mail:
      env.SMTP_URL && env.MAIL_FROM && env.RESTORED_COPY !== 'true'
        ? { url: env.SMTP_URL, from: env.MAIL_FROM }
        : undefined,
    mailTimes: MAIL_TIMES,
    playedMinuteMs: 60_000,
    webhooks: {
      production,
      isOff: env.RESTORED_COPY === 'true',
      ports: env.WEBHOOK_PORTS,
      privateNetworks: env.WEBHOOK_PRIVATE_NETWORKS,
      times: WEBHOOK_TIMES,
    },
    idp:
      env.IDP_ISSUER && env.IDP_CLIENT_ID && env.IDP_CLIENT_SECRET && env.IDP_CALLBACK_URL
        ? {
            issuer: new URL(env.IDP_ISSUER),
            clientId: env.IDP_CLIENT_ID,
            clientSecret: env.IDP_CLIENT_SECRET,
            callbackUrl: new URL(env.IDP_CALLBACK_URL),
            successUrl: env.IDP_SUCCESS_URL ? new URL(env.IDP_SUCCESS_URL) : undefined,
            trustsEmail: env.IDP_TRUSTED_EMAIL_ISSUER !== undefined,
            trustsSecondFactor: env.IDP_TRUSTED_SECOND_FACTOR === 'true',
          }
        : undefined,
    challenge:
      env.CHALLENGE_VERIFY_URL && env.CHALLENGE_SECRET && env.CHALLENGE_SITE_KEY
        ? {
            verifyUrl: new URL(env.CHALLENGE_VERIFY_URL),
            secret: env.CHALLENGE_SECRET,
            siteKey: env.CHALLENGE_SITE_KEY,
          }
        : undefined,
    limits: DEFAULT_LIMITS,
    connectionsPerAddress: CONNECTIONS_PER_ADDRESS,
    schedules: true,
    startedByNpm: source.npm_lifecycle_event !== undefined,
    warnings,
    ...overrides,
  });
}

/**
 * Returns generated secrets. The first start creates them and stores them in the data folder, so that sessions survive a
 * restart.
 */
function developmentSecrets(env: Environment, warnings: string[]): { jwt: string; pin: string } | undefined {
  if (env.JWT_SECRET && env.PIN_SECRET) return undefined;
  const file = join(env.DATA_DIR, 'secrets.json');
  warnings.push(`JWT_SECRET or PIN_SECRET is not set: using the ones kept in ${file}`);
  const kept = readSecrets(file);
  if (kept) return kept;
  const made = { jwt: randomBytes(48).toString('base64url'), pin: randomBytes(48).toString('base64url') };
  try {
    mkdirSync(env.DATA_DIR, { recursive: true });
    writeFileSync(file, JSON.stringify(made), { mode: 0o600, flag: 'wx' });
    return made;
  } catch {
    // Another process created the secrets first: use its secrets.
    const shared = readSecrets(file);
    if (shared) return shared;
    // Read-only file systems cause various error codes in Node, even ENOENT. So this message replaces them.
    throw new ConfigError([
      'DATA_DIR, the folder for secrets, cannot be created or written: set another folder, or set JWT_SECRET and PIN_SECRET',
    ]);
  }
}

function readSecrets(file: string): { jwt: string; pin: string } | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { jwt?: unknown; pin?: unknown };
    return typeof kept.jwt === 'string' && typeof kept.pin === 'string'
      ? { jwt: kept.jwt, pin: kept.pin }
      : undefined;
  } catch {
    return undefined;
  }
}
