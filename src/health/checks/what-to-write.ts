import type { Installation } from './check.js';

const SECRET = `a new value of at least 32 random bytes: node -p "crypto.randomBytes(48).toString('base64url')"`;
const PASSWORD = `letters and digits: node -p "crypto.randomBytes(24).toString('hex')"`;
const NETWORKS = 'networks such as 203.0.113.0/24, separated by commas';
const CLIENT = 'as registered at the identity provider';
const CHALLENGE = 'as in the dashboard of the challenge service';

/** The formats of the variables of the service itself, and of those that other programs read. */
const FORMATS: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  PORT: 'a free port such as 3000',
  HOST: '127.0.0.1 behind a proxy on this machine, or empty for all addresses',
  DATABASE_URL: 'postgresql://user:password@host:5432/database, special characters as %XX',
  DATABASE_WAIT_SECONDS: 'a number of seconds such as 60',
  DATABASE_POOL_SIZE: 'a number of connections such as 12',
  RESTORED_COPY: 'false, or true on a restored copy',
  REDIS_URL: 'redis://:password@host:6379, special characters as %XX',
  INSTALLATION: 'a short name of letters and digits, or empty',
  JWT_SECRET: SECRET,
  PIN_SECRET: `the value with which the database was used; for a new installation ${SECRET}`,
  CORS_ORIGINS: 'origins such as https://www.charity.org, separated by commas',
  TRUST_PROXY: 'the number of proxies in front, such as 1',
  LOG_LEVEL: 'info',
  DATA_DIR: 'a folder that the user of the service can write',
  PUBLIC_URL:
    'https:// and the name that guests open, such as https://give.charity.org, without a path and a slash at the end',
  METRICS_PORT: 'another free port, or empty',
  METRICS_HOST: '127.0.0.1, or an address of this machine that only Prometheus reaches',
  TRUSTED_NETWORKS: `the address of the venue, or ${NETWORKS}`,
  SMTP_URL:
    'smtps://user:password@host:465 or smtp://user:password@host:587?requireTLS=true, special characters as %XX',
  MAIL_FROM: 'Name <address@your-domain>, an address that people read',
  IDP_ISSUER: 'https:// and the issuer, exactly as in the metadata of the identity provider',
  IDP_CLIENT_ID: CLIENT,
  IDP_CLIENT_SECRET: CLIENT,
  IDP_CALLBACK_URL: 'PUBLIC_URL/auth/idp/callback',
  IDP_SUCCESS_URL: 'a page of the dashboard on the site of PUBLIC_URL, or empty',
  IDP_TRUSTED_EMAIL_ISSUER: 'the value of IDP_ISSUER, or empty',
  IDP_TRUSTED_SECOND_FACTOR: 'true or false',
  WEBHOOK_PORTS: 'ports such as 443,8443',
  WEBHOOK_PRIVATE_NETWORKS: `${NETWORKS}, or empty`,
  CHALLENGE_VERIFY_URL: 'https:// and the address that verifies answers',
  CHALLENGE_SECRET: CHALLENGE,
  CHALLENGE_SITE_KEY: CHALLENGE,
  ADMIN_PASSWORD: 'nothing: delete the line',
  BACKUP_HOURS: '24',
  NODE_TLS_REJECT_UNAUTHORIZED:
    'nothing: delete the line; name a certificate authority in NODE_EXTRA_CA_CERTS',
  POSTGRES_PASSWORD: PASSWORD,
  REDIS_PASSWORD: PASSWORD,
  TMPDIR: 'a folder that the user of the service can write, or nothing',
  TZ: 'a name such as Europe/Berlin, or nothing',
};

/** Returns the format of a variable, for a technician who has to correct it. */
export const whatToWrite = (change: string, providers: Installation['providers']): string | undefined =>
  FORMATS[change] ??
  providers.map(({ environment }) => environment.formats[change]).find((format) => format !== undefined);
