import ipaddr from 'ipaddr.js';
import { isElsewhere, secretWeakness } from './core-rules.js';
import type { Environment } from './core-variables.js';
import { isLoopback, type Rule } from './rules.js';

/**
 * Input of the advice: the variables of the service, and those that other programs read. An unset variable is absent.
 */
export type AdvisedValues = Environment & Readonly<Partial<Record<(typeof READ_ELSEWHERE)[number], string>>>;

/** Variables of scripts, of the compose file and of Node that the advice is about. */
export const READ_ELSEWHERE = [
  'ADMIN_PASSWORD',
  'BACKUP_HOURS',
  'COMPOSE_PROFILES',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'POSTGRES_PASSWORD',
  'REDIS_PASSWORD',
  'TZ',
] as const;

/**
 * Values that the server accepts and that are probably mistakes. Only `npm run doctor` reports them, because a value can be
 * right in an unusual network. `refused` means: wrong in each installation.
 */
export const ADVICE: readonly Rule<AdvisedValues>[] = [
  {
    variable: 'NODE_ENV',
    verdict: 'refused',
    when: ({ NODE_ENV, PUBLIC_URL }) => NODE_ENV !== 'production' && isPublic(PUBLIC_URL),
    says: 'is not production, but PUBLIC_URL is a public address: the rules of production are off',
  },
  {
    variable: 'TRUST_PROXY',
    verdict: 'refused',
    inProduction: true,
    // The service has no TLS of its own.
    when: ({ TRUST_PROXY, PUBLIC_URL }) => !TRUST_PROXY && isPublic(PUBLIC_URL),
    says: 'is off, but a proxy answers for PUBLIC_URL with TLS: a whole hall would share one limit',
  },
  {
    variable: 'TRUST_PROXY',
    verdict: 'warned',
    when: ({ TRUST_PROXY }) => typeof TRUST_PROXY === 'number' && TRUST_PROXY > 3,
    says: 'counts more proxies than usual: with a number that is too high, a client can choose its own address',
  },
  {
    variable: 'TRUST_PROXY',
    verdict: 'refused',
    when: ({ TRUST_PROXY }) => Array.isArray(TRUST_PROXY) && TRUST_PROXY.some(isWide),
    says: 'trusts a network that is too wide: a client in it could choose its own address',
  },
  ...(['TRUSTED_NETWORKS', 'WEBHOOK_PRIVATE_NETWORKS'] as const).map((variable): Rule<AdvisedValues> => ({
    variable,
    verdict: 'refused',
    when: ({ [variable]: networks = [] }) => networks.some(isWide),
    says: 'contains a network that is too wide, such as 0.0.0.0/0',
  })),
  {
    variable: 'WEBHOOK_PRIVATE_NETWORKS',
    verdict: 'refused',
    when: ({ WEBHOOK_PRIVATE_NETWORKS: networks = [] }) =>
      ['169.254.169.254', '127.0.0.1', '::1'].some((address) =>
        networks.some((one) => contains(one, address)),
      ),
    says: 'contains this machine or the address of cloud credentials: webhooks could reach them',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    when: ({ PUBLIC_URL }) => hostOf(PUBLIC_URL) !== '' && isExample(hostOf(PUBLIC_URL)),
    says: 'is an example',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    when: ({ PUBLIC_URL }) => PUBLIC_URL !== undefined && new URL(PUBLIC_URL).username !== '',
    says: 'contains a user or a password, which every link and QR code would show',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ PUBLIC_URL }) =>
      PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL)) && isInside(hostOf(PUBLIC_URL)),
    says: 'is an address of a private network: the phones of guests on mobile data cannot reach it',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'warned',
    inProduction: true,
    when: ({ PUBLIC_URL }) => isPublic(PUBLIC_URL) && ipaddr.isValid(hostOf(PUBLIC_URL)),
    says: 'has no name: certificates, wallets and e-mails need a name',
  },
  {
    variable: 'PUBLIC_URL',
    verdict: 'refused',
    when: ({ PUBLIC_URL, COMPOSE_PROFILES }) =>
      usesCaddy(COMPOSE_PROFILES) && PUBLIC_URL?.endsWith('/') === true,
    says: 'ends in a slash: Caddy does not start with it',
  },
  {
    variable: 'CORS_ORIGINS',
    verdict: 'warned',
    inProduction: true,
    when: ({ CORS_ORIGINS: origins = [] }) =>
      origins.some((origin) => URL.canParse(origin) && isLoopback(new URL(origin))),
    says: 'contains an origin of a development machine',
  },
  {
    variable: 'MAIL_FROM',
    verdict: 'refused',
    inProduction: true,
    when: ({ MAIL_FROM }) => MAIL_FROM !== undefined && isExample(domainOf(MAIL_FROM.address)),
    says: 'is an example: mail servers refuse it, and answers of donors are lost',
  },
  {
    variable: 'MAIL_FROM',
    verdict: 'warned',
    when: ({ MAIL_FROM, SMTP_URL }) => {
      const user = SMTP_URL === undefined ? '' : decodeURIComponent(new URL(SMTP_URL).username);
      return MAIL_FROM !== undefined && user.includes('@') && domainOf(user) !== domainOf(MAIL_FROM.address);
    },
    says: 'has another domain than the user of SMTP_URL: the mail server may refuse it, or mailboxes treat it as spam',
  },
  {
    variable: 'SMTP_URL',
    verdict: 'refused',
    when: ({ SMTP_URL }) =>
      SMTP_URL !== undefined && /^smtps:.*:(25|587)\/?$/.test(SMTP_URL.split('?', 1)[0] ?? ''),
    says: 'uses smtps:// with a port that begins without encryption: write smtp://…:587?requireTLS=true',
  },
  {
    variable: 'SMTP_URL',
    verdict: 'refused',
    when: ({ SMTP_URL }) =>
      SMTP_URL !== undefined && /^smtp:.*:465\/?$/.test(SMTP_URL.split('?', 1)[0] ?? ''),
    says: 'uses smtp:// with port 465, which expects encryption at once: write smtps://…:465',
  },
  {
    variable: 'DATABASE_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ DATABASE_URL }) => isWeak(DATABASE_URL),
    says: 'has a password that is an example or shorter than eight characters',
  },
  {
    variable: 'DATABASE_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ DATABASE_URL }) =>
      isElsewhere(DATABASE_URL) &&
      !isInside(hostOf(DATABASE_URL)) &&
      ['', 'disable', 'no-verify', 'allow'].includes(
        new URL(DATABASE_URL ?? '').searchParams.get('sslmode') ?? '',
      ),
    says: 'leads to another machine without a checked encryption: add ?sslmode=verify-full',
  },
  {
    variable: 'REDIS_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ REDIS_URL }) => REDIS_URL?.startsWith('redis:') === true && !isInside(hostOf(REDIS_URL)),
    says: 'leads over a public network without encryption: write rediss://',
  },
  {
    variable: 'REDIS_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ REDIS_URL }) =>
      REDIS_URL !== undefined && isElsewhere(REDIS_URL) && new URL(REDIS_URL).password === '',
    says: 'has no password: other machines of the network could read and change the limits',
  },
  {
    variable: 'IDP_ISSUER',
    verdict: 'refused',
    when: ({ IDP_ISSUER }) => IDP_ISSUER?.includes('/.well-known/') === true,
    says: 'must be the issuer, without /.well-known/openid-configuration',
  },
  {
    variable: 'IDP_CALLBACK_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ IDP_CALLBACK_URL, PUBLIC_URL }) => isElse(IDP_CALLBACK_URL, PUBLIC_URL),
    says: 'must begin with PUBLIC_URL: the cookie of a sign-in belongs to that address',
  },
  {
    variable: 'IDP_SUCCESS_URL',
    verdict: 'refused',
    inProduction: true,
    when: ({ IDP_SUCCESS_URL, PUBLIC_URL }) =>
      isElse(IDP_SUCCESS_URL, PUBLIC_URL) && siteOf(IDP_SUCCESS_URL) !== siteOf(PUBLIC_URL),
    says: 'must be on the same site as PUBLIC_URL: browsers do not send the cookie of the sign-in elsewhere',
  },
  {
    variable: 'CHALLENGE_SECRET',
    verdict: 'refused',
    inProduction: true,
    // https://developers.cloudflare.com/turnstile/troubleshooting/testing/ and hCaptcha's test secret
    when: ({ CHALLENGE_SECRET: secret = '' }) => /^(?:[123]x0{20,}|0x0{30,})/.test(secret),
    says: 'is a test key, which accepts or refuses everybody',
  },
  {
    variable: 'CHALLENGE_SITE_KEY',
    verdict: 'refused',
    inProduction: true,
    when: ({ CHALLENGE_SITE_KEY: key = '' }) => /^[123]x0{15,}|^10000000-ffff/.test(key),
    says: 'is a test key, which accepts or refuses everybody',
  },
  {
    variable: 'ADMIN_PASSWORD',
    verdict: 'warned',
    when: ({ ADMIN_PASSWORD }) => ADMIN_PASSWORD !== undefined,
    says: 'is still here: only npm run admin:seed needs it',
  },
  {
    variable: 'NODE_TLS_REJECT_UNAUTHORIZED',
    verdict: 'refused',
    when: ({ NODE_TLS_REJECT_UNAUTHORIZED: value }) => value === '0',
    says: 'is 0: certificates of payment providers and databases are not checked',
  },
  {
    variable: 'TZ',
    verdict: 'refused',
    when: ({ TZ }) => TZ !== undefined && !isZone(TZ),
    says: 'is no time zone that Node knows, so times in the log are UTC',
  },
  ...(['POSTGRES_PASSWORD', 'REDIS_PASSWORD'] as const).map((variable): Rule<AdvisedValues> => ({
    variable,
    verdict: 'refused',
    when: ({ [variable]: password }) => password !== undefined && !/^[A-Za-z0-9]{8,}$/.test(password),
    says: 'must be at least eight letters and digits, because it becomes part of a URL',
  })),
  {
    variable: 'BACKUP_HOURS',
    verdict: 'refused',
    when: ({ BACKUP_HOURS: hours }) =>
      hours !== undefined && !(/^\d+$/.test(hours) && +hours > 0 && +hours <= 24),
    says: 'must be a whole number from 1 to 24',
  },
];

const usesCaddy = (profiles = '') => profiles.split(',').includes('tls');

/** Returns the host of a URL; empty for a missing or unreadable one. */
const hostOf = (text: string | undefined): string =>
  text !== undefined && URL.canParse(text) ? new URL(text).hostname.replace(/^\[|\]$/g, '') : '';

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The last two labels of a host: a guess, because the list of public suffixes is not at hand. */
const siteOf = (text: string | undefined): string => hostOf(text).split('.').slice(-2).join('.');

const isElse = (text: string | undefined, publicUrl: string | undefined): boolean =>
  text !== undefined && publicUrl !== undefined && new URL(text).origin !== new URL(publicUrl).origin;

const isExample = (host: string): boolean => /(^|\.)(example(\.(com|org|net))?|invalid)$/.test(host);

const isPublic = (publicUrl: string | undefined): boolean =>
  publicUrl?.startsWith('https:') === true && !isLoopback(new URL(publicUrl));

/** True if a host can only be reached within its own network: a private address, a name of a container, `.local`. */
export function isInside(host: string): boolean {
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast';
  return !host.includes('.') || /\.(local|lan|home|internal|intranet|home\.arpa)$/.test(host);
}

const SHORTEST = 8;
const COMMON = /^(?:password|postgres|donations|changeme|12345678|qwertyui)\d*$/i;

function isWeak(databaseUrl: string | undefined): boolean {
  const password = databaseUrl === undefined ? '' : decodeURIComponent(new URL(databaseUrl).password);
  if (password === '') return false;
  return (
    password.length < SHORTEST || COMMON.test(password) || secretWeakness(password) === 'is a placeholder'
  );
}

/** Prefix lengths below which no venue and no group of proxies has all addresses. */
const WIDEST = { ipv4: 8, ipv6: 16 };
const WIDEST_PUBLIC = { ipv4: 16, ipv6: 32 };

function isWide(network: string): boolean {
  if (!network.includes('/')) return false;
  const [address, bits] = ipaddr.parseCIDR(network);
  return bits < (address.range() === 'unicast' ? WIDEST_PUBLIC : WIDEST)[address.kind()];
}

function contains(network: string, address: string): boolean {
  const one = ipaddr.parse(address);
  const [start, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.process(network), 128];
  if (start.kind() !== one.kind()) return false;
  return one.match(start, Math.min(bits, one.kind() === 'ipv4' ? 32 : 128));
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone.replace(/^:/, '') });
    return true;
  } catch {
    return false;
  }
}
