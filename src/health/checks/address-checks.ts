import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { TLSSocket } from 'node:tls';
import { VERSION } from '../../common/version.js';
import {
  type CheckName,
  type CheckResult,
  doubtful,
  type Finding,
  type Installation,
  ran,
  resultOf,
  unknown,
  unreadable,
  wrong,
} from './check.js';

/** Checks of the public address, from this machine and through all proxies. */

const ANSWER_MS = 5_000;
const DAY_MS = 86_400_000;
/** Certificates of Let's Encrypt are renewed 30 days before their end. */
const FEW_DAYS = 14;
const LARGEST_ANSWER = 64 * 1024;

const NAMES: readonly CheckName[] = ['public address', 'certificate', 'live channel', 'forged addresses'];

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** End of the certificate; undefined without TLS. */
  readonly validUntil: Date | undefined;
}

function ask(
  { config: { publicUrl }, lookup, ca }: Installation,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const url = new URL(path, publicUrl);
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, ...(lookup && { lookup }), ...(ca !== undefined && { ca }) };
    const sent = request(url, options, (response) => {
      const { socket } = response;
      const validTo = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : undefined;
      const answer = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        validUntil: validTo === undefined ? undefined : new Date(validTo),
      };
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > LARGEST_ANSWER) sent.destroy(new Error('the answer is too large'));
      });
      response.once('end', () => {
        resolve({ ...answer, text });
      });
      response.once('error', reject);
    });
    sent.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: '',
        validUntil: undefined,
      });
    });
    sent.once('error', reject);
    sent.setTimeout(ANSWER_MS, () =>
      sent.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    );
    sent.end();
  });
}

const TLS_PROBLEM = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO$)/;
const MEANINGS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has a name that the DNS does not know',
  ECONNREFUSED: 'leads to a machine where nothing listens: start the proxy, or correct the address',
  EHOSTUNREACH: 'leads to a machine that cannot be reached',
};

function unreached(error: unknown): Finding {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (TLS_PROBLEM.test(code))
    return wrong('PUBLIC_URL', `has a certificate that browsers refuse: ${message}`);
  const meaning = MEANINGS[code];
  return meaning === undefined
    ? unknown(
        'PUBLIC_URL',
        `does not answer from this machine (${code || message}): open it on a phone with mobile data`,
      )
    : wrong('PUBLIC_URL', meaning);
}

/** Runs all checks of the public address. If the first one fails, the others are unknown. */
export async function checkAddress(installation: Installation, isRead: boolean): Promise<CheckResult[]> {
  if (!isRead) return NAMES.map((name) => unreadable(name, ['PUBLIC_URL']));
  if (!installation.config.publicUrlGiven) return NAMES.map((name) => resultOf(name, 'off'));
  let answer: Answer;
  try {
    answer = await ask(installation, '/health');
  } catch (error) {
    const after = [unknown('PUBLIC_URL', 'must answer before this can be checked')];
    return NAMES.map((name, index) => resultOf(name, index === 0 ? [unreached(error)] : after));
  }
  const findings = whose(answer, installation);
  const isOurs = findings.every(({ state }) => state === 'doubtful');
  const later = [unknown('PUBLIC_URL', 'must lead to this service before this can be checked')];
  return [
    resultOf('public address', findings),
    resultOf('certificate', certificate(answer, installation)),
    await ran('live channel', 'PUBLIC_URL', async () => (isOurs ? await liveChannel(installation) : later)),
    await ran('forged addresses', 'TRUST_PROXY', async () => (isOurs ? await forged(installation) : later)),
  ];
}

/** Finds out if this service has answered. */
function whose({ status, headers, text }: Answer, { config: { publicUrl } }: Installation): Finding[] {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    const target = new URL(location, publicUrl).origin;
    return [wrong('PUBLIC_URL', 'sends browsers to another address', target)];
  }
  const { version, code } = bodyOf(text);
  if (version === undefined && code !== 'UNHEALTHY')
    return [
      [502, 503, 504].includes(status)
        ? wrong(
            'PUBLIC_URL',
            `leads to a proxy that does not reach the service (${status}): start the service, or correct the port in the proxy`,
          )
        : wrong('PUBLIC_URL', `leads to another program (${status} for /health)`),
    ];
  return version === undefined || version === VERSION
    ? []
    : [doubtful('PUBLIC_URL', `leads to release ${version}, but this is release ${VERSION}`)];
}

function bodyOf(text: string): { version?: string; code?: string } {
  try {
    return (JSON.parse(text) ?? {}) as { version?: string; code?: string };
  } catch {
    return {};
  }
}

function certificate({ validUntil }: Answer, { now }: Installation): readonly Finding[] | 'off' {
  if (validUntil === undefined) return 'off';
  const days = Math.floor((validUntil.getTime() - now()) / DAY_MS);
  return days >= FEW_DAYS
    ? []
    : [
        wrong(
          'the certificate',
          `of PUBLIC_URL ends in ${days} days`,
          'renew it, and check why this did not happen by itself',
        ),
      ];
}

async function liveChannel(installation: Installation): Promise<Finding[]> {
  const { status } = await ask(installation, '/socket.io/?EIO=4&transport=websocket', {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
  });
  return status === 101
    ? []
    : [
        wrong(
          'the proxy',
          `does not pass WebSocket upgrades on /socket.io/ (${status})`,
          'the lines for /socket.io/ in docs/deploy/nginx.conf or haproxy.cfg',
        ),
      ];
}

/** A balancer may send two requests to two processes that count for themselves. */
const FORGED_ATTEMPTS = 3;

/** Two requests with two forged addresses share one limit, unless the service believes these addresses. */
async function forged(installation: Installation): Promise<Finding[]> {
  for (let attempt = 1; attempt <= FORGED_ATTEMPTS; attempt++) {
    const first = await remainingFor(installation);
    const second = await remainingFor(installation);
    if (Number.isNaN(first + second) || second === 0)
      return [unknown('TRUST_PROXY', 'could not be checked: the answers show no rest of a limit')];
    if (second < first) return [];
  }
  return [
    wrong(
      'TRUST_PROXY',
      'lets each client choose its own address: it counts more proxies than there are, or a proxy passes X-Forwarded-For on',
      'the number of proxies; each must add the address of its client',
    ),
  ];
}

/** Returns the rest of the limit of a client that claims a new address for documentation (RFC 3849), which no guest has. */
async function remainingFor(installation: Installation): Promise<number> {
  const address = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`;
  const { headers } = await ask(installation, '/health', { 'X-Forwarded-For': address });
  return Number(headers['ratelimit-remaining'] ?? NaN);
}
