import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/config/environment.js';
import { connectClient } from '../../src/data/connect.js';
import { loadConfig } from '../../src/server/load-config.js';
import { migrate } from '../../src/operator/migrate.js';

/** Configuration mistakes of operators, each with its error message. */

const GOOD = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://donations:secret@127.0.0.1:5432/donations',
  REDIS_URL: 'redis://127.0.0.1:6379',
  JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
  PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
  PUBLIC_URL: 'https://give.charity.org',
  STRIPE_SECRET_KEY: 'sk_live_51abcdefghijklmnop',
  STRIPE_WEBHOOK_SECRET: 'whsec_abcdefghijklmnop',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_abcdefghijklmnop',
  PAYPAL_CLIENT_ID: `A${'b'.repeat(79)}`,
  PAYPAL_CLIENT_SECRET: `E${'c'.repeat(79)}`,
  PAYPAL_WEBHOOK_ID: '4JH86294D6297924G',
  PAYPAL_MERCHANT_ID: 'MERCHANT1',
};

const empty = join(mkdtempSync(join(tmpdir(), 'configuration-')), 'ca.pem');
writeFileSync(empty, 'no certificate');

function outcome(changes: NodeJS.ProcessEnv): { refused: readonly string[]; warned: readonly string[] } {
  try {
    return { refused: [], warned: loadConfig({ ...GOOD, ...changes }).warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { refused: error.problems, warned: [] };
  }
}

const MAIL = { SMTP_URL: 'smtps://user:secret@mail.charity.org', MAIL_FROM: 'Gala <gala@charity.org>' };
const REFUSED: [string, NodeJS.ProcessEnv, RegExp][] = [
  [
    'a mail server without a sender',
    { ...MAIL, MAIL_FROM: '' },
    /^MAIL_FROM must be set together with SMTP_URL$/,
  ],
  [
    'a sender without a mail server',
    { ...MAIL, SMTP_URL: '' },
    /^SMTP_URL must be set together with MAIL_FROM$/,
  ],
  ['a mail server by http', { ...MAIL, SMTP_URL: 'https://mail.charity.org' }, /^SMTP_URL must be an smtp/],
  ['a mail server without a host', { ...MAIL, SMTP_URL: 'smtps://' }, /^SMTP_URL cannot be read/],
  ['a sender without an address', { ...MAIL, MAIL_FROM: 'Gala' }, /^MAIL_FROM must be an address/],
  [
    'a sender that would add a header',
    { ...MAIL, MAIL_FROM: 'Gala\r\nBcc: evil@example.org <gala@charity.org>' },
    /^MAIL_FROM must be an address/,
  ],
  ['no database', { DATABASE_URL: '' }, /^DATABASE_URL is required$/],
  ['a database other than PostgreSQL', { DATABASE_URL: 'mysql://x/y' }, /^DATABASE_URL must be a postgresql/],
  [
    'a database password with a slash',
    { DATABASE_URL: 'postgresql://u:a/b@h:5432/d' },
    /^DATABASE_URL cannot be read/,
  ],
  ['no database name', { DATABASE_URL: 'postgresql://u:p@h:5432' }, /^DATABASE_URL cannot be read/],
  ['an invalid Redis address', { REDIS_URL: 'redis://h:port' }, /^REDIS_URL cannot be read/],
  ['a web address for Redis', { REDIS_URL: 'https://h' }, /^REDIS_URL must be a redis/],
  ['no secret', { JWT_SECRET: undefined }, /^JWT_SECRET is required$/],
  ['a short secret', { PIN_SECRET: 'short' }, /^PIN_SECRET must be at least 32 bytes$/],
  [
    'a placeholder secret',
    { JWT_SECRET: 'change-me-change-me-change-me-0123456789' },
    /^JWT_SECRET is a placeholder$/,
  ],
  [
    'an old secret that is short',
    { JWT_SECRET: `${GOOD.JWT_SECRET},short` },
    /^JWT_SECRET must be at least 32 bytes$/,
  ],
  [
    'three JWT secrets',
    { JWT_SECRET: [1, 2, 3].map((n) => `${GOOD.JWT_SECRET}${n}`).join(',') },
    /^JWT_SECRET must be one value, or two/,
  ],
  [
    'an old PIN secret that is short',
    { PIN_SECRET: `${GOOD.PIN_SECRET},short` },
    /^PIN_SECRET must be at least 32 bytes$/,
  ],
  [
    'three PIN secrets',
    { PIN_SECRET: [1, 2, 3].map((n) => `${GOOD.PIN_SECRET}${n}`).join(',') },
    /^PIN_SECRET must be one value, or two/,
  ],
  ['a PIN secret of only commas', { PIN_SECRET: ',' }, /^PIN_SECRET is required$/],
  [
    'an old PIN secret used for both',
    { PIN_SECRET: `x${GOOD.PIN_SECRET},${GOOD.JWT_SECRET}` },
    /must differ$/,
  ],
  ['an old secret used for both', { JWT_SECRET: `x${GOOD.JWT_SECRET},${GOOD.PIN_SECRET}` }, /must differ$/],
  ['a regular secret', { JWT_SECRET: 'a'.repeat(40) }, /^JWT_SECRET is too regular/],
  ['one secret for both', { PIN_SECRET: GOOD.JWT_SECRET }, /^JWT_SECRET and PIN_SECRET must differ$/],
  ['no public address with payments on', { PUBLIC_URL: '' }, /^PUBLIC_URL is required while payments/],
  [
    'a public address without TLS',
    { PUBLIC_URL: 'http://give.charity.org' },
    /^PUBLIC_URL must begin with https/,
  ],
  ['a public address with a query', { PUBLIC_URL: 'https://x.org/?a=1' }, /^PUBLIC_URL must have no query/],
  ['a public address with a path', { PUBLIC_URL: 'https://x.org/give' }, /^PUBLIC_URL must have no path/],
  ['a public address without a scheme', { PUBLIC_URL: 'give.charity.org' }, /^PUBLIC_URL must be an http/],
  ['a wildcard origin', { CORS_ORIGINS: '*' }, /^CORS_ORIGINS must name origins/],
  [
    'an origin with a slash',
    { CORS_ORIGINS: 'https://x.org/' },
    /^CORS_ORIGINS contains an origin that can never match/,
  ],
  [
    'an origin with a path',
    { CORS_ORIGINS: 'https://x.org/a' },
    /^CORS_ORIGINS contains an origin that can never/,
  ],
  [
    'an origin without a scheme',
    { CORS_ORIGINS: 'x.org' },
    /^CORS_ORIGINS contains an origin that can never match/,
  ],
  [
    'an origin in upper case',
    { CORS_ORIGINS: 'https://X.org' },
    /^CORS_ORIGINS contains an origin that can never/,
  ],
  [
    'an origin with the default port',
    { CORS_ORIGINS: 'https://x.org:443' },
    /^CORS_ORIGINS contains an origin that can/,
  ],
  ['trust in every proxy', { TRUST_PROXY: 'true' }, /^TRUST_PROXY must be a number/],
  ['an invalid network', { TRUSTED_NETWORKS: '10.0.0.0/99' }, /^TRUSTED_NETWORKS must list/],
  ['an invalid port', { PORT: '99999' }, /^PORT must be a port number from 0 to 65535$/],
  ['a port in words', { PORT: 'http' }, /^PORT must be a port number from 0 to 65535$/],
  [
    'a database pool of one',
    { DATABASE_POOL_SIZE: '1' },
    /^DATABASE_POOL_SIZE must be a whole number from 2 to 200$/,
  ],
  [
    'a wait of half a second',
    { DATABASE_WAIT_SECONDS: '0.5' },
    /^DATABASE_WAIT_SECONDS must be a whole number from 0 to 3600$/,
  ],
  [
    'a log level that does not exist',
    { LOG_LEVEL: 'loud' },
    /^LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent$/,
  ],
  ['metrics on the public port', { METRICS_PORT: '3000' }, /^METRICS_PORT must differ from PORT$/],
  ['an unknown level', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL /],
  [
    'an environment that does not exist',
    { NODE_ENV: 'prod' },
    /^NODE_ENV must be one of production, development, test$/,
  ],
  ['a database pool of one', { DATABASE_POOL_SIZE: '1' }, /^DATABASE_POOL_SIZE /],
  ['a value in quotes', { PAYPAL_MERCHANT_ID: '"MERCHANT1"' }, /^PAYPAL_MERCHANT_ID is in quotes/],
  [
    'a value with a space at its end',
    { STRIPE_SECRET_KEY: 'sk_live_1 ' },
    /^STRIPE_SECRET_KEY begins or ends with a space$/,
  ],
  ['a publishable key', { STRIPE_SECRET_KEY: 'pk_live_1' }, /^STRIPE_SECRET_KEY is a publishable key/],
  ['a test key', { STRIPE_SECRET_KEY: 'sk_test_1' }, /^STRIPE_SECRET_KEY is a test key/],
  ['a restricted test key', { STRIPE_SECRET_KEY: 'rk_test_1' }, /^STRIPE_SECRET_KEY is a test key/],
  ['swapped card secrets', { STRIPE_SECRET_KEY: 'whsec_1' }, /^STRIPE_SECRET_KEY holds a webhook secret/],
  ['a key as webhook secret', { STRIPE_WEBHOOK_SECRET: 'sk_live_1' }, /^STRIPE_WEBHOOK_SECRET holds a key/],
  ['no webhook secret', { STRIPE_WEBHOOK_SECRET: '' }, /^STRIPE_WEBHOOK_SECRET must be set together with/],
  ['no webhook id', { PAYPAL_WEBHOOK_ID: '' }, /^PAYPAL_WEBHOOK_ID must be set together with/],
  ["an event's id", { PAYPAL_WEBHOOK_ID: 'WH-2WR32451' }, /^PAYPAL_WEBHOOK_ID must be the id of the webhook/],
  ["the webhook's address", { PAYPAL_WEBHOOK_ID: 'https://x.org/w' }, /^PAYPAL_WEBHOOK_ID must be the id/],
  [
    'swapped wallet secrets',
    { PAYPAL_CLIENT_ID: GOOD.PAYPAL_CLIENT_SECRET, PAYPAL_CLIENT_SECRET: GOOD.PAYPAL_CLIENT_ID },
    /^PAYPAL_CLIENT_ID looks like a secret/,
  ],
  [
    'one value for both',
    { PAYPAL_CLIENT_SECRET: GOOD.PAYPAL_CLIENT_ID },
    /^PAYPAL_CLIENT_SECRET is the same/,
  ],
  ['a missing CA file', { PAYPAL_CA_FILE: '/nowhere/ca.pem' }, /^PAYPAL_CA_FILE names a file that/],
  ['a CA file without a certificate', { PAYPAL_CA_FILE: empty }, /^PAYPAL_CA_FILE names a file that/],
  ['half an identity provider', { IDP_ISSUER: 'https://id.org' }, /must be set together with IDP_ISSUER$/],
];

const WARNED: [string, NodeJS.ProcessEnv, RegExp][] = [
  [
    'a mail server with optional encryption',
    { ...MAIL, SMTP_URL: 'smtp://user:secret@mail.charity.org:587' },
    /^SMTP_URL does not require encryption/,
  ],
  ['no Redis', { REDIS_URL: '' }, /^REDIS_URL is not set: run exactly one process$/],
  ['a public address on this machine', { PUBLIC_URL: 'http://localhost:3000' }, /^PUBLIC_URL is an address/],
  ['an origin without TLS', { CORS_ORIGINS: 'http://x.org' }, /^CORS_ORIGINS contains an origin with http/],
  ['no log', { LOG_LEVEL: 'silent' }, /^LOG_LEVEL hides all errors$/],
  ['another card processor', { STRIPE_API_URL: 'http://127.0.0.1:4010' }, /^STRIPE_API_URL is set/],
  ['an odd webhook secret', { STRIPE_WEBHOOK_SECRET: 'something' }, /^STRIPE_WEBHOOK_SECRET does not begin/],
  ['another wallet', { PAYPAL_API_URL: 'https://api-m.sandbox.paypal.com' }, /^PAYPAL_API_URL is set/],
  ['no merchant id', { PAYPAL_MERCHANT_ID: '' }, /^PAYPAL_MERCHANT_ID is not set/],
  ['a restored copy', { RESTORED_COPY: 'true' }, /^RESTORED_COPY is set: payment providers are off/],
  ['a misspelt variable', { DATABSE_URL: 'x' }, /^DATABSE_URL is not read: did you mean DATABASE_URL\?$/],
  ['a variable in lower case', { public_url: 'x' }, /^public_url is not read: did you mean PUBLIC_URL\?$/],
  ['an unknown variable with our prefix', { STRIPE_PUBLIC_KEYS: 'x' }, /^STRIPE_PUBLIC_KEYS is not read/],
];

describe('npm run migrate', () => {
  it.each(['postgresql://u:a/b@h:5432/d', 'postgresql://u:p@h:5432'])(
    'npm run migrate names DATABASE_URL and its format for an unreadable address: %s',
    async (url) => {
      await expect(migrate(url)).rejects.toThrow(
        /^DATABASE_URL cannot be read: write postgresql:\/\/user:password@host:5432\/database, special characters as %XX$/,
      );
      await expect(connectClient(url, 'test')).rejects.toThrow(
        /^The database in DATABASE_URL is not usable: it cannot be read/,
      );
    },
  );
});

describe('configuration at start', () => {
  it('a valid configuration prints nothing', () => {
    expect(outcome({})).toEqual({ refused: [], warned: [] });
    expect(outcome({ PUBLIC_URL: 'https://give.charity.org/' })).toEqual({ refused: [], warned: [] });
  });

  it.each(REFUSED)('%s stops the start with one line that names the variable', (_mistake, changes, line) => {
    expect(outcome(changes).refused).toEqual([expect.stringMatching(line)]);
  });

  it.each(WARNED)('%s warns in one line that names the variable', (_mistake, changes, line) => {
    expect(outcome(changes)).toEqual({ refused: [], warned: [expect.stringMatching(line)] });
  });

  it('several mistakes are reported together, by variable name and without values', () => {
    const { refused } = outcome({
      PORT: 'secret-value',
      JWT_SECRET: 'secret-value',
      PUBLIC_URL: '',
      STRIPE_SECRET_KEY: 'pk_secret-value',
      PAYPAL_CA_FILE: '/secret-value',
    });
    expect(refused.map((line) => line.split(' ', 1)[0])).toEqual([
      'PORT',
      'JWT_SECRET',
      'PUBLIC_URL',
      'STRIPE_SECRET_KEY',
      'PAYPAL_CA_FILE',
    ]);
    expect(refused.join()).not.toContain('secret-value');
  });

  it.each([
    ['a remote database', 'postgresql://u:p@db.charity.org:5432/donations', true],
    ['a remote database given by a parameter', 'postgresql:///donations?host=db.charity.org', true],
    ['a database of this machine', 'postgresql://u:p@127.0.0.1:5432/donations', false],
    ['a socket of this machine', 'postgresql:///donations?host=/var/run/postgresql', false],
  ])('the server requires NODE_ENV only for a remote database: %s', (_where, DATABASE_URL, isRefused) => {
    for (const NODE_ENV of [undefined, '', ' '])
      expect(
        outcome({ DATABASE_URL, NODE_ENV }).refused.filter((line) => line.startsWith('NODE_ENV is required')),
      ).toHaveLength(isRefused ? 1 : 0);
  });

  it('development mode with an unwritable folder stops the start with one line that names the variable', () => {
    const environment = {
      ...{ NODE_ENV: 'development', DATABASE_URL: GOOD.DATABASE_URL },
      DATA_DIR: '/dev/null/donations',
    };
    expect(() => loadConfig(environment)).toThrow(
      /DATA_DIR, the folder for secrets, cannot be created or written: set another folder, or set JWT_SECRET and PIN_SECRET$/,
    );
  });

  it('RESTORED_COPY disables all payment providers in spite of their keys', () => {
    expect([...loadConfig(GOOD).sections.keys()]).toEqual(['stripe', 'paypal']);
    expect([...loadConfig({ ...GOOD, RESTORED_COPY: 'true' }).sections.keys()]).toEqual([]);
  });

  it('the server ignores variables set by container platforms', () => {
    const platform = {
      REDIS_PORT: 'tcp://x',
      METRICS_SERVICE_HOST: 'x',
      REDIS_PORT_6379_TCP: 'x',
      HOSTNAME: 'x',
    };
    expect(outcome(platform)).toEqual({ refused: [], warned: [] });
  });
});
