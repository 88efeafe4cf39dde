import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import {
  blankIsAbsent,
  httpUrl,
  list,
  mailbox,
  oneOf,
  optional,
  smtpUrl,
  whole,
  withDefault,
} from './variables.js';

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

/** A number of proxies, or networks. `true` is not allowed, because any client could then choose its own address. */
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

const ports = list
  .refine(
    (parts) => parts.every((part) => /^\d{1,5}$/.test(part) && Number(part) <= 65_535),
    'must list ports',
  )
  .transform((parts) => parts.map(Number));

/** The variables of the service itself; each payment provider declares its own. */
export const coreVariables = z.object({
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
  WEBHOOK_PORTS: withDefault(ports, '443,8443'),
  WEBHOOK_PRIVATE_NETWORKS: withDefault(networks, ''),
  CHALLENGE_VERIFY_URL: optional(httpUrl),
  CHALLENGE_SECRET: optional(z.string()),
  CHALLENGE_SITE_KEY: optional(z.string().regex(/^[\w.-]{1,200}$/, 'must be a plain key')),
});

export type Environment = z.infer<typeof coreVariables>;

export const CORE_VARIABLES = Object.keys(coreVariables.shape);
