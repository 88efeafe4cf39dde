import { providerJson, ProviderRefusal } from '../../auth/idp/provider-http.js';
import { metadataProblem } from '../../auth/idp/idp-metadata.js';
import { smtpFailure, withoutAddresses } from '../../mail/smtp-errors.js';
import { configuredProviders } from '../../payments/providers/configured-providers.js';
import { refusalOf } from '../../redis/redis.service.js';
import { type Check, type Finding, type Installation, unknown, variableOf, wrong } from './check.js';

/** Checks of the other programs that the service uses. */

const ANSWER_MS = 4_000;

const redis: Check = {
  name: 'redis',
  needs: ['REDIS_URL'],
  run: async ({ config: { redisUrl } }) => {
    if (redisUrl === undefined) return 'off';
    const { Redis } = await import('../../redis/redis-connection.js');
    const client = new Redis(redisUrl, {
      connectionName: 'donations-doctor',
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: ANSWER_MS,
      commandTimeout: ANSWER_MS,
      retryStrategy: () => null,
    });
    let lost: Error | undefined;
    client.on('error', (error: Error) => (lost = error));
    try {
      await client.connect();
      await client.set('donations:doctor', '1', 'PX', 1_000);
      const policy = /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1];
      if (policy === undefined)
        return [unknown('maxmemory-policy', 'is not shown by this Redis', 'noeviction')];
      if (policy === 'noeviction') return [];
      return [
        wrong(
          'maxmemory-policy',
          `of Redis is ${policy}: a full Redis would forget limits`,
          'maxmemory-policy noeviction, in redis.conf',
        ),
      ];
    } catch (error) {
      const { message } = lost ?? (error as Error);
      return [wrong('REDIS_URL', refusalOf(error) ?? refusalOf(lost) ?? `is not reachable: ${message}`)];
    } finally {
      client.disconnect();
    }
  },
};

const mail: Check = {
  name: 'e-mail',
  needs: ['SMTP_URL', 'MAIL_FROM'],
  run: async ({ config: { mail: settings }, mailHosts }) => {
    if (!settings) return 'off';
    return [
      ...(await mailServerProblem(settings.url)),
      ...(await senderProblem(settings.from.address, mailHosts)),
    ];
  },
};

async function mailServerProblem(url: string): Promise<Finding[]> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
  } as Parameters<typeof createTransport>[0]);
  try {
    await transport.verify();
    return [];
  } catch (error) {
    const says = withoutAddresses(smtpFailure(error).says);
    const isRefused = (error as { code?: string }).code === 'EAUTH';
    return [
      wrong('SMTP_URL', isRefused ? `has a wrong user or password: ${says}` : `is not usable: ${says}`),
    ];
  } finally {
    transport.close();
  }
}

async function senderProblem(address: string, mailHosts: Installation['mailHosts']): Promise<Finding[]> {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  try {
    if ((await mailHosts(domain)).length > 0) return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTFOUND' && code !== 'ENODATA')
      return [unknown('MAIL_FROM', `could not be checked: the DNS does not answer (${code ?? 'unknown'})`)];
  }
  return [
    wrong(
      'MAIL_FROM',
      'has a domain that accepts no e-mails (no MX in the DNS): answers and bounces are lost',
    ),
  ];
}

const identity: Check = {
  name: 'identity provider',
  needs: ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET', 'IDP_CALLBACK_URL'],
  run: async ({ config: { idp } }) => {
    if (!idp) return 'off';
    const issuer = idp.issuer.href.replace(/\/+$/, '');
    let metadata: Record<string, unknown>;
    try {
      metadata = await providerJson(`${issuer}/.well-known/openid-configuration`);
    } catch (error) {
      const says =
        error instanceof ProviderRefusal
          ? `has no metadata at /.well-known/openid-configuration (${error.status})`
          : 'does not answer, or not with metadata';
      return [wrong('IDP_ISSUER', says)];
    }
    const problem = metadataProblem(metadata, issuer);
    if (problem !== undefined)
      return [
        wrong('IDP_ISSUER', problem, typeof metadata.issuer === 'string' ? metadata.issuer : undefined),
      ];
    return await clientProblem(String(metadata.token_endpoint), idp);
  },
};

/** Sends a wrong code. A provider that knows the client refuses only the code. */
async function clientProblem(
  tokenEndpoint: string,
  { clientId, clientSecret, callbackUrl }: NonNullable<Installation['config']['idp']>,
): Promise<Finding[]> {
  const form = {
    grant_type: 'authorization_code',
    code: 'doctor',
    redirect_uri: callbackUrl.href,
    code_verifier: 'x'.repeat(43),
  };
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const response = await fetch(tokenEndpoint, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams(form),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const { error } = ((await response.json()) ?? {}) as { error?: string };
  if (error === 'invalid_client' || error === 'unauthorized_client')
    return [
      wrong('IDP_CLIENT_SECRET', 'is refused by the identity provider, or IDP_CLIENT_ID is unknown there'),
    ];
  return error === 'invalid_grant' || error === 'invalid_request'
    ? []
    : [
        unknown(
          'IDP_CLIENT_SECRET',
          `could not be checked: the identity provider answered ${error ?? response.status}`,
        ),
      ];
}

const payments: Check = {
  name: 'payments',
  needs: ['PUBLIC_URL'],
  run: async ({ config, providers }) => {
    if (config.sections.size === 0) return 'off';
    const made = await configuredProviders(providers, config);
    const findings = await Promise.all(
      made.map(async (provider) => {
        const key = variableOf(providers, provider.name, /_(SECRET_KEY|CLIENT_SECRET)$/);
        try {
          if (!provider.unsubscribed)
            return [unknown(key, 'could not be checked: the provider has no such request')];
          const types = await provider.unsubscribed();
          if (types?.length === 0) return [];
          const webhook = variableOf(providers, provider.name, /_WEBHOOK_(SECRET|ID)$/);
          if (types === undefined)
            return [
              unknown(
                webhook,
                'could not be checked: the provider shows no webhook of this service to this key',
              ),
            ];
          return [
            wrong(
              webhook,
              `belongs to a webhook without the event types ${types.join(', ')}`,
              'these types, at the provider',
            ),
          ];
        } catch (error) {
          return [
            isRefusal(error)
              ? wrong(key, 'is refused by the provider')
              : unknown(key, 'could not be checked: the provider does not answer'),
          ];
        }
      }),
    );
    return findings.flat();
  },
};

/** True if an error, or one of its causes, means that the provider does not accept the key. */
function isRefusal(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { statusCode, message } = one as Error & { statusCode?: number };
    if (statusCode === 401 || /is refused|\b401\b/.test(message)) return true;
  }
  return false;
}

export const PARTS: readonly Check[] = [redis, mail, identity, payments];
