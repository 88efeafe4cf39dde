import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { CORE_RULES, isElsewhere } from './core-rules.js';
import { judge, type Judgement } from './rules.js';
import {
  blankIsAbsent,
  groupProblem,
  httpUrl,
  list,
  mailbox,
  oneOf,
  optional,
  parseEach,
  smtpUrl,
  whole,
  withDefault,
} from './variables.js';

/** The environment does not allow a start. The message lists all problems and no values. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const port = whole(0, 65_535, 'a port number');

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

/** A hop count or networks. `true` would let any client choose its own address. */
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
  NODE_ENV: withDefault(oneOf(['production', 'development', 'test']), 'development'),
  PORT: withDefault(port, '3000'),
  HOST: optional(z.string()),
  DATABASE_URL: z.preprocess(
    blankIsAbsent,
    z.string({ error: 'is required' }).regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// URL'),
  ),
  DATABASE_WAIT_SECONDS: withDefault(whole(0, 3_600), '60'),
  DATABASE_POOL_SIZE: withDefault(whole(2, 200), '12'),
  RESTORED_COPY: withDefault(oneOf(['true', 'false']), 'false'),
  REDIS_URL: optional(z.string().regex(/^rediss?:\/\//, 'must be a redis:// URL')),
  INSTALLATION: optional(z.string().regex(/^[\w-]{1,40}$/, 'must be letters, digits, - or _, at most 40')),
  JWT_SECRET: optional(z.string()),
  PIN_SECRET: optional(z.string()),
  CORS_ORIGINS: withDefault(list, ''),
  TRUST_PROXY: withDefault(trustProxy, 'false'),
  LOG_LEVEL: withDefault(oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  DATA_DIR: withDefault(z.string(), '.data'),
  PUBLIC_URL: optional(httpUrl),
  METRICS_PORT: optional(port),
  METRICS_HOST: withDefault(z.string(), '127.0.0.1'),
  TRUSTED_NETWORKS: withDefault(networks, ''),
  SMTP_URL: optional(smtpUrl),
  MAIL_FROM: optional(mailbox),
  IDP_ISSUER: optional(httpUrl),
  IDP_CLIENT_ID: optional(z.string()),
  IDP_CLIENT_SECRET: optional(z.string()),
  IDP_CALLBACK_URL: optional(httpUrl),
  IDP_SUCCESS_URL: optional(httpUrl),
  IDP_TRUSTED_EMAIL_ISSUER: optional(httpUrl),
  IDP_TRUSTED_SECOND_FACTOR: withDefault(oneOf(['true', 'false']), 'false'),
  CHALLENGE_VERIFY_URL: optional(httpUrl),
  CHALLENGE_SECRET: optional(z.string()),
  CHALLENGE_SITE_KEY: optional(z.string().regex(/^[\w.-]{1,200}$/, 'must be a plain key')),
});

export type Environment = z.infer<typeof schema>;

export const CORE_VARIABLES = Object.keys(schema.shape);
/** Variables that must be set together. */
const GROUPS = [
  ['SMTP_URL', 'MAIL_FROM'],
  ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET', 'IDP_CALLBACK_URL'],
  ['CHALLENGE_VERIFY_URL', 'CHALLENGE_SECRET', 'CHALLENGE_SITE_KEY'],
];

/**
 * Parses the environment and reports all problems at once: in single variables, between them, and from other checks.
 * @param others the configured optional sections, with the problems of their variables
 * @throws ConfigError
 */
export function parseEnvironment(
  source: NodeJS.ProcessEnv,
  others: { readonly configured: readonly string[] } & Judgement,
): { env: Environment; warnings: readonly string[] } {
  const { values, wrong, problems } = parseEach(schema.shape, source);
  const env = values as Partial<Environment>;
  const production = env.NODE_ENV === 'production';
  const judged = judge(CORE_RULES, { ...env, configured: others.configured }, production, wrong);
  const partial = GROUPS.flatMap((names) => groupProblem(names, given(names, source)) ?? []);
  const all = [...problems, ...modeProblem(source, env), ...partial, ...judged.problems, ...others.problems];
  if (all.length > 0) throw new ConfigError([...new Set(all)]);
  return { env: env as Environment, warnings: [...judged.warnings, ...others.warnings] };
}

/**
 * Without NODE_ENV the service runs as on a laptop, with generated secrets and without the rules of production. A database on
 * another machine makes an empty variable a likely mistake.
 */
function modeProblem(source: NodeJS.ProcessEnv, { DATABASE_URL: database }: Partial<Environment>): string[] {
  if (blankIsAbsent(source.NODE_ENV) !== undefined || !isElsewhere(database)) return [];
  return [
    'NODE_ENV is required while DATABASE_URL names another machine: set production, or development if intended',
  ];
}

/** Set variables as they are: a wrong variable is not a missing one. */
const given = (names: readonly string[], source: NodeJS.ProcessEnv): object =>
  Object.fromEntries(names.filter((name) => source[name]?.trim()).map((name) => [name, source[name]]));
