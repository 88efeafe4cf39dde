import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  blankIsAbsent,
  groupProblem,
  httpUrl,
  list,
  optional,
  problemsOf,
  withDefault,
} from './variables.js';

/** The environment does not allow a start; the message lists every problem and no value. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const port = z.coerce.number().int().min(0).max(65535);

const isNetwork = (text: string) => {
  if (isIP(text) !== 0) return true;
  try {
    ipaddr.parseCIDR(text);
    return true;
  } catch {
    return false;
  }
};
const networks = list.refine((parts) => parts.every(isNetwork), 'must list addresses or CIDR networks');

/** A hop count or networks; `true` would let any client choose its own address. */
const trustProxy = z.string().transform((text, context): number | readonly string[] | false => {
  if (text === 'false' || text === '0') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const parts = text.split(',').map((part) => part.trim());
  const named = ['loopback', 'linklocal', 'uniquelocal'];
  if (parts.every((part) => named.includes(part) || isNetwork(part))) return parts;
  context.addIssue({
    code: 'custom',
    message: 'must be a number of proxies or a list of networks, never "true"',
  });
  return z.NEVER;
});

const schema = z.object({
  NODE_ENV: withDefault(z.enum(['production', 'development', 'test']), 'development'),
  PORT: withDefault(port, '3000'),
  HOST: optional(z.string()),
  DATABASE_URL: z.preprocess(
    blankIsAbsent,
    z.string({ error: 'is required' }).regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// URL'),
  ),
  REDIS_URL: optional(z.string().regex(/^rediss?:\/\//, 'must be a redis:// URL')),
  JWT_SECRET: optional(z.string()),
  PIN_SECRET: optional(z.string()),
  CORS_ORIGINS: withDefault(list, ''),
  TRUST_PROXY: withDefault(trustProxy, 'false'),
  LOG_LEVEL: withDefault(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  DATA_DIR: withDefault(z.string(), '.data'),
  PUBLIC_URL: optional(httpUrl),
  METRICS_PORT: optional(port),
  TRUSTED_NETWORKS: withDefault(networks, ''),
  IDP_ISSUER: optional(httpUrl),
  IDP_CLIENT_ID: optional(z.string()),
  IDP_CLIENT_SECRET: optional(z.string()),
  IDP_CALLBACK_URL: optional(httpUrl),
  IDP_SUCCESS_URL: optional(httpUrl),
  IDP_TRUSTED_EMAIL_ISSUER: optional(httpUrl),
  CHALLENGE_VERIFY_URL: optional(httpUrl),
  CHALLENGE_SECRET: optional(z.string()),
  CHALLENGE_SITE_KEY: optional(z.string().regex(/^[\w.-]{1,200}$/, 'must be a plain key')),
});

export type Environment = Omit<z.infer<typeof schema>, 'HOST'> & { HOST: string };

/**
 * @param others what is wrong with variables that are read elsewhere, to be listed with the rest
 * @throws ConfigError
 */
export function parseEnvironment(source: NodeJS.ProcessEnv, others: readonly string[] = []): Environment {
  const parsed = schema.safeParse(source);
  const env = parsed.data;
  const problems = parsed.success ? [] : problemsOf(parsed.error);
  if (env)
    problems.push(...groupProblems(env), ...(env.NODE_ENV === 'production' ? productionProblems(env) : []));
  problems.push(...others);
  if (!env || problems.length > 0) throw new ConfigError(problems);
  // Without production nothing should be reachable from another machine by accident.
  return { ...env, HOST: env.HOST ?? (env.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1') };
}

type Parsed = z.infer<typeof schema>;

/** Variables that only make sense together. */
function groupProblems(env: Parsed): string[] {
  const groups = [
    ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET', 'IDP_CALLBACK_URL'],
    ['CHALLENGE_VERIFY_URL', 'CHALLENGE_SECRET', 'CHALLENGE_SITE_KEY'],
  ];
  const problems = groups.map((names) => groupProblem(names, env)).filter((problem) => problem !== undefined);
  const trusted = env.IDP_TRUSTED_EMAIL_ISSUER;
  if (trusted !== undefined && trusted !== env.IDP_ISSUER)
    problems.push('IDP_TRUSTED_EMAIL_ISSUER must be the very IDP_ISSUER');
  // One issuer for many tenants would let the admin of any of them write any e-mail address.
  if (trusted !== undefined && /\/(common|organizations|consumers|\{tenantid\})(\/|$)/i.test(trusted))
    problems.push('IDP_TRUSTED_EMAIL_ISSUER must be of one tenant');
  return problems;
}

function productionProblems(env: Parsed): string[] {
  const problems: string[] = [];
  for (const name of ['JWT_SECRET', 'PIN_SECRET'] as const) {
    const weakness = secretWeakness(env[name]);
    if (weakness) problems.push(`${name} ${weakness}`);
  }
  if (env.JWT_SECRET && env.JWT_SECRET === env.PIN_SECRET)
    problems.push('JWT_SECRET and PIN_SECRET must differ');
  if (env.IDP_ISSUER && new URL(env.IDP_ISSUER).protocol !== 'https:')
    problems.push('IDP_ISSUER must be an https address: whoever is between could sign anybody in');
  if (env.CHALLENGE_VERIFY_URL && new URL(env.CHALLENGE_VERIFY_URL).protocol !== 'https:')
    problems.push('CHALLENGE_VERIFY_URL must be an https address');
  if (env.CORS_ORIGINS.some((origin) => origin.includes('*')))
    problems.push('CORS_ORIGINS must name origins, never a wildcard');
  return problems;
}

/** Why a secret of ours is refused in production, or undefined when it will do. */
export function secretWeakness(secret: string | undefined): string | undefined {
  if (secret === undefined) return 'is required';
  if (Buffer.byteLength(secret) < 32) return 'must be at least 32 bytes';
  if (/change.?me|placeholder|example|your.?secret|replace.?(me|this)|insecure|default.?secret/i.test(secret))
    return 'is a placeholder';
  if (new Set(secret).size < 10) return 'is too regular to be a secret';
  return undefined;
}
