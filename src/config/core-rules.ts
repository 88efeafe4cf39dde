import { isLoopback, isPlain, type Rule } from './rules.js';
import type { Environment } from './core-variables.js';

/** Input of the core rules: the variables of the service itself, and the names of the configured optional sections. */
export type CoreValues = Environment & { readonly configured: readonly string[] };

const SECRETS = ['JWT_SECRET', 'PIN_SECRET'] as const;

/** Returns the values of a secret, separated by a comma: the current value and, during a replacement, the other value. */
export const secretValues = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const valuesOf = (
  variable: (typeof SECRETS)[number],
  env: Partial<CoreValues>,
): readonly (string | undefined)[] => {
  const values = secretValues(env[variable]);
  // A text that contains only commas has no value.
  return values.length > 0 ? values : [undefined];
};

/** Returns the reason why production refuses a secret, or undefined if it is acceptable. */
export function secretWeakness(secret: string | undefined): string | undefined {
  if (secret === undefined) return 'is required';
  if (Buffer.byteLength(secret) < 32) return 'must be at least 32 bytes';
  if (/change.?me|placeholder|example|your.?secret|replace.?(me|this)|insecure|default.?secret/i.test(secret))
    return 'is a placeholder';
  if (new Set(secret).size < 10) return 'is too regular to be a secret';
  return undefined;
}

const WEAKNESSES = [
  'is required',
  'must be at least 32 bytes',
  'is a placeholder',
  'is too regular to be a secret',
];

/** Error for a database address that cannot be parsed. */
export const NO_DATABASE =
  'cannot be read: write postgresql://user:password@host:5432/database, special characters as %XX';

/** Rules for the variables of the service itself. Each provider defines rules for its variables. */
export const CORE_RULES: readonly Rule<CoreValues>[] = [
  ...SECRETS.flatMap((variable) =>
    WEAKNESSES.map((weakness): Rule<CoreValues> => ({
      variable,
      verdict: 'refused',
      inProduction: true,
      when: (env) => valuesOf(variable, env).some((one) => secretWeakness(one) === weakness),
      says: weakness,
    })),
  ),
  {
    variable: 'JWT_SECRET',
    verdict: 'refused',
    inProduction: true,
    when: ({ JWT_SECRET, PIN_SECRET }) =>
      PIN_SECRET !== undefined &&
      secretValues(PIN_SECRET).some((one) => secretValues(JWT_SECRET).includes(one)),
    says: 'and PIN_SECRET must differ',
  },
  ...SECRETS.map((variable): Rule<CoreValues> => ({
    variable,
    verdict: 'refused',
    when: ({ [variable]: text }) => secretValues(text).length > 2,
    says: 'must be one value, or two values during a replacement: the new one, a comma, the old one',
  })),
  {
    variable: 'DATABASE_URL',
    verdict: 'refused',
    when: ({ DATABASE_URL: text }) => text !== undefined && !namesDatabase(text),
    says: NO_DATABASE,
  },
  {
    variable: 'RESTORED_COPY',
    verdict: 'warned',
    when: ({ RESTORED_COPY }) => RESTORED_COPY === 'true',
    says: 'is set: payment providers are off, and cards and wallets answer 503',
  },
  {
    variable: 'REDIS_URL',
    verdict: 'refused',
    when: ({ REDIS_URL: text }) => text !== undefined && !URL.canParse(text),
    says: 'cannot be read: write redis://:password@host:6379, special characters as %XX',
  },
  {
    variable: 'REDIS_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ REDIS_URL }) => REDIS_URL === undefined,
    says: 'is not set: run exactly one process',
  },
  {
    variable: 'CORS_ORIGINS',
    verdict: 'refused',
    inProduction: true,
    when: ({ CORS_ORIGINS: origins = [] }) => origins.some((origin) => origin.includes('*')),
    says: 'must name origins, never a wildcard',
  },
  {
    variable: 'CORS_ORIGINS',
    verdict: 'refused',
    when: ({ CORS_ORIGINS: origins = [] }) => origins.some((origin) => origin !== '*' && !canMatch(origin)),
    says: 'contains an origin that can never match: write https://host[:port] in lower case, without a path, a slash at the end or :443',
  },
  {
    variable: 'CORS_ORIGINS',
    verdict: 'warned',
    inProduction: true,
    when: ({ CORS_ORIGINS: origins = [] }) => origins.some((origin) => canMatch(origin) && isPlain(origin)),
    says: 'contains an origin with http: anyone on its network can change that page',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ PUBLIC_URL, configured = [] }) => PUBLIC_URL === undefined && configured.length > 0,
    says: 'is required while payments are set up: providers send donors back to it',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ PUBLIC_URL }) => isPlain(PUBLIC_URL),
    says: 'must begin with https://',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    when: ({ PUBLIC_URL }) => PUBLIC_URL !== undefined && /[?#]/.test(PUBLIC_URL),
    says: 'must have no query and no fragment',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    // A path is refused, because page files, the API and the live channel use paths from the root of the host.
    when: ({ PUBLIC_URL }) => PUBLIC_URL !== undefined && new URL(PUBLIC_URL).pathname !== '/',
    says: 'must have no path: use a separate host name for the service',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ PUBLIC_URL }) => PUBLIC_URL !== undefined && isLoopback(new URL(PUBLIC_URL)),
    says: 'is an address that only this machine can reach',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ PUBLIC_URL, configured = [] }) => PUBLIC_URL === undefined && configured.length === 0,
    says: 'is not set: links lead to localhost, and pages of this service are not a trusted origin',
  },
  {
    variable: 'SMTP_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ SMTP_URL }) => SMTP_URL !== undefined && mayBePlain(new URL(SMTP_URL)),
    says: 'does not require encryption: others on the network may read receipts and the password; use smtps:// or add ?requireTLS=true',
  },
  {
    variable: 'SMTP_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ SMTP_URL, PUBLIC_URL }) => SMTP_URL !== undefined && PUBLIC_URL === undefined,
    says: 'is set without PUBLIC_URL: links in e-mails lead to localhost',
  },
  {
    variable: 'IDP_ISSUER',
    verdict: 'refused',
    inProduction: true,
    when: ({ IDP_ISSUER }) => isPlain(IDP_ISSUER),
    says: 'must be an https address: otherwise an attacker on the network could sign in as any user',
  },
  {
    variable: 'IDP_TRUSTED_EMAIL_ISSUER',
    verdict: 'refused',
    when: ({ IDP_TRUSTED_EMAIL_ISSUER: trusted, IDP_ISSUER }) =>
      trusted !== undefined && trusted !== IDP_ISSUER,
    says: 'must be identical to IDP_ISSUER',
  },
  {
    variable: 'IDP_TRUSTED_EMAIL_ISSUER',
    verdict: 'refused',
    // If many tenants share one issuer, the admin of any tenant could set any e-mail address.
    when: ({ IDP_TRUSTED_EMAIL_ISSUER: trusted }) =>
      trusted !== undefined && /\/(common|organizations|consumers|\{tenantid\})(\/|$)/i.test(trusted),
    says: 'must belong to one tenant',
  },
  {
    variable: 'CHALLENGE_VERIFY_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ CHALLENGE_VERIFY_URL }) => isPlain(CHALLENGE_VERIFY_URL),
    says: 'must be an https address',
  },
  {
    variable: 'METRICS_PORT',
    verdict: 'refused',
    when: ({ METRICS_PORT, PORT }) =>
      METRICS_PORT !== undefined && METRICS_PORT !== 0 && METRICS_PORT === PORT,
    says: 'must differ from PORT',
  },
  {
    variable: 'LOG_LEVEL',
    verdict: 'warned',
    inProduction: true,
    when: ({ LOG_LEVEL }) => LOG_LEVEL === 'silent' || LOG_LEVEL === 'fatal',
    says: 'hides all errors',
  },
  {
    variable: 'IDP_ISSUER',
    verdict: 'refused',
    inProduction: true,
    when: ({ IDP_ISSUER }) => isPlain(IDP_ISSUER),
    says: 'must begin with https://',
  },
  {
    variable: 'IDP_CALLBACK_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ IDP_CALLBACK_URL }) => isPlain(IDP_CALLBACK_URL),
    says: 'must begin with https://',
  },
  {
    variable: 'IDP_CALLBACK_URL',
    verdict: 'warned',
    when: ({ IDP_CALLBACK_URL: url }) =>
      url !== undefined && !new URL(url).pathname.endsWith('/auth/idp/callback'),
    says: 'must end in /auth/idp/callback, the callback path of this service',
  },
];

/** True if a database address leads to another machine. */
export function isElsewhere(databaseUrl: string | undefined): boolean {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return false;
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? url.hostname;
  // A host that is a path means a Unix socket on this machine.
  return host !== '' && !decodeURIComponent(host).startsWith('/') && !isLoopback({ hostname: host });
}

/** True if a database address is valid and contains the name of a database. */
export function namesDatabase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, pathname, searchParams } = new URL(text);
  return (hostname !== '' || searchParams.has('host')) && pathname.length > 1;
}

/** True if a browser can send this text as an origin. */
const canMatch = (origin: string): boolean => URL.canParse(origin) && new URL(origin).origin === origin;

/**
 * True if the connection to a mail server may be unencrypted. With `smtp:`, a mail client encrypts only if the server offers
 * encryption, and an attacker can remove this offer.
 */
const mayBePlain = (url: URL): boolean =>
  url.protocol === 'smtp:' && !isLoopback(url) && url.searchParams.get('requireTLS') !== 'true';
