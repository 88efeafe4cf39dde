import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretValues } from './core-rules.js';
import { CORE_VARIABLES, type Environment } from './core-variables.js';
import { ConfigError, parseEnvironment } from './environment.js';
import type { EnvironmentSection } from './environment-section.js';
import { MAIL_TIMES, type MailTimes } from './mail-times.js';
import type { Mailbox } from './variables.js';
import { unknownVariables, wrappedVariables } from './known-variables.js';

/** Time limits of a database connection, in milliseconds. */
export interface DatabaseTimes {
  readonly statementMs: number;
  /** Wait for one lock. Longer than an idle transaction may last, so that it outlasts a frozen process. */
  readonly lockMs: number;
  /** A transaction whose process is silent for this long is ended and its locks are released. */
  readonly idleInTransactionMs: number;
  /** Wait for an answer to arrive: longer than the server's own limit, for a network that drops packets. */
  readonly answerMs: number;
}

export const DATABASE_TIMES: DatabaseTimes = {
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
  /** True if e-mail addresses of this issuer count as verified although it does not send `email_verified`. */
  readonly trustsEmail: boolean;
  /** True if the provider asks all users for a second factor, so that this service need not ask. */
  readonly trustsSecondFactor: boolean;
}

/** A service that distinguishes people from programs, such as Turnstile. */
export interface ChallengeConfig {
  readonly verifyUrl: URL;
  readonly secret: string;
  /** Public: pages show the challenge with this key. */
  readonly siteKey: string;
}

/** The outgoing mail server, and the sender of e-mails. */
export interface MailConfig {
  /** May contain a password: never log it. */
  readonly url: string;
  readonly from: Mailbox;
}

/** Requests per minute, unless the name says otherwise. */
export interface LimitsConfig {
  readonly perMinute: number;
  readonly authPerMinute: number;
  readonly trustedFactor: number;
  readonly intentsPerAddress: number;
  readonly intentsPerEvent: number;
  /** Per ten minutes. */
  readonly intentsPerEmail: number;
}

/** The whole configuration, read once from the environment and never changed. */
export class AppConfig {
  readonly nodeEnv: 'production' | 'development' | 'test';
  readonly production: boolean;
  readonly port: number;
  /** Undefined: all addresses of the machine in production, only loopback addresses elsewhere. */
  readonly host: string | undefined;
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly databaseTimes: DatabaseTimes;
  /** Maximum time that the start waits for the database. */
  readonly databaseWaitMs: number;
  readonly redisUrl: string | undefined;
  /** Separates keys and channels in Redis from those of other installations; if empty, derived from the database. */
  readonly installation: string;
  readonly jwtSecret: string;
  /** The previous secret: it verifies older tokens but signs no new ones. */
  readonly jwtSecretBefore: string | undefined;
  readonly pinSecret: string;
  /** The second value while `PIN_SECRET` is replaced: it encrypts nothing, but its ciphertexts and digests stay valid. */
  readonly pinSecretBefore: string | undefined;
  /** Other origins from which browsers may call, apart from this service's own. */
  readonly corsOrigins: readonly string[];
  readonly trustProxy: number | readonly string[] | false;
  readonly logLevel: Environment['LOG_LEVEL'];
  readonly dataDir: string;
  /** Public address of the service, without a trailing slash. */
  readonly publicUrl: string;
  /** Origin of this service's own pages; undefined in production if not configured. */
  readonly serviceOrigin: string | undefined;
  /** True if `publicUrl` was configured. Otherwise it is a guess that works only on this machine. */
  readonly publicUrlGiven: boolean;
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly trustedNetworks: readonly string[];
  /** Settings of the configured sections, by name. Only the owner of a section knows their shape. */
  readonly sections: ReadonlyMap<string, unknown>;
  /** Maximum time for one answer of a payment provider, in milliseconds. */
  readonly providerTimeoutMs: number;
  /** Undefined: no e-mail is sent. */
  readonly mail: MailConfig | undefined;
  readonly mailTimes: MailTimes;
  readonly idp: IdpConfig | undefined;
  readonly challenge: ChallengeConfig | undefined;
  readonly limits: LimitsConfig;
  /** Maximum number of simultaneous connections and sockets per address. */
  readonly connectionsPerAddress: number;
  /** True if reconciliation, pruning and watches run on a schedule; tests call them directly. */
  readonly schedules: boolean;
  /** True if started by `npm run`, which does not forward signals. */
  readonly startedByNpm: boolean;
  /** Warnings for the operator, logged at start-up. */
  readonly warnings: readonly string[];

  constructor(values: Readonly<AppConfig>) {
    Object.assign(this, values);
  }
}

/** A browser opens up to six. This is enough for five hundred phones and the tills of a venue behind one address. */
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
 * @throws ConfigError that names every wrong variable, never its value
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
    // A restored copy must not move real money: its refunds and reconciliation would act on the original's payments.
    sections: new Map(
      (env.RESTORED_COPY === 'true' ? [] : read).flatMap(({ name, settings }) =>
        settings === undefined ? [] : [[name, settings] as const],
      ),
    ),
    providerTimeoutMs: 10_000,
    // A restored copy must not send e-mails to donors either.
    mail:
      env.SMTP_URL && env.MAIL_FROM && env.RESTORED_COPY !== 'true'
        ? { url: env.SMTP_URL, from: env.MAIL_FROM }
        : undefined,
    mailTimes: MAIL_TIMES,
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

/** Returns secrets created on the first start and kept in the data folder, so that sessions survive a restart. */
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
    // On a read-only file system, Node's own error code is ENOENT.
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
