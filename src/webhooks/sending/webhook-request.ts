import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { VERSION } from '../../common/version.js';
import { isAllowedAddress, isLoopback } from './safe-address.js';
import { hostOf, isOwnMachine, urlProblem, type WebhookNetwork } from './webhook-url.js';
import { retryAfterMs } from './retries.js';

/** Result of an attempt. */
export interface WebhookAnswer {
  /** True for a status from 200 to 299 in time. */
  readonly isSuccess: boolean;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** Reason of the failure, with the beginning of the answer. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** False: the answer may repeat personal data, so the error does not contain it. */
  readonly keepsAnswer: boolean;
}

/** Looks up all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const MOST_READ = 4_096;
const SHOWN_OF_ANSWER = 200;
const LONGEST_ERROR = 300;

class RefusedError extends Error {}

/**
 * Sends one webhook. The name is looked up once, every address is checked, and the connection goes to a checked address. A
 * redirect is a failure. Proxy variables of the environment have no effect.
 */
export async function sendWebhook(
  request: WebhookRequest,
  network: WebhookNetwork,
  answerMs: number,
  resolve: Resolve = resolveName,
): Promise<WebhookAnswer> {
  const began = performance.now();
  const failed = (error: unknown): WebhookAnswer => ({
    isSuccess: false,
    status: null,
    milliseconds: Math.round(performance.now() - began),
    error: errorText(error),
    retryAfterMs: null,
  });
  const abort = new AbortController();
  const timer = setTimeout(() => {
    abort.abort();
  }, answerMs);
  const limit = abort.signal;
  try {
    const problem = urlProblem(request.url, network);
    if (problem !== undefined) throw new RefusedError(`The address ${problem}`);
    const url = new URL(request.url);
    const addresses = await abortable(checkedAddresses(url, network, resolve), limit);
    const { status, header, text } = await post(request, url, addresses, limit);
    const isSuccess = status >= 200 && status < 300;
    return {
      isSuccess,
      status,
      milliseconds: Math.round(performance.now() - began),
      error: isSuccess ? null : answerText(status, request.keepsAnswer ? text : ''),
      retryAfterMs: retryAfterMs(header, new Date()),
    };
  } catch (error) {
    return failed(limit.aborted ? new Error(`No answer within ${answerMs / 1_000} seconds`) : error);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws RefusedError if one of the addresses is not allowed */
async function checkedAddresses(
  url: URL,
  { production, privateNetworks }: WebhookNetwork,
  resolve: Resolve,
): Promise<readonly string[]> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new RefusedError('The name has no address');
  const ownMachine = !production && isOwnMachine(url);
  const allowed = (address: string) =>
    isAllowedAddress(address, privateNetworks) || (ownMachine && isLoopback(address));
  if (!addresses.every(allowed))
    throw new RefusedError('The name leads to this machine or to a private network');
  return addresses;
}

interface Received {
  readonly status: number;
  /** The header `Retry-After`. */
  readonly header: string | undefined;
  readonly text: string;
}

async function post(
  { body, headers }: WebhookRequest,
  url: URL,
  addresses: readonly string[],
  limit: AbortSignal,
): Promise<Received> {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_name, { all }, callback) => {
    const [first] = known;
    if (all === true) callback(null, known);
    else if (first) callback(null, first.address, first.family);
  };
  return await new Promise<Received>((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.request : http.request;
    const request = send(
      url,
      {
        method: 'POST',
        // A connection for each attempt. It is not shared, so the checked address is always the used one.
        agent: false,
        lookup,
        signal: limit,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': `Fundraising-Donations/${VERSION}`,
          connection: 'close',
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let read = 0;
        const finish = () => {
          resolve({
            status: response.statusCode ?? 0,
            header: response.headers['retry-after'],
            text: Buffer.concat(chunks).subarray(0, MOST_READ).toString('utf8'),
          });
          request.destroy();
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          read += chunk.length;
          if (read >= MOST_READ) finish();
        });
        response.once('end', finish);
        // The status has arrived, so a break after it does not change the result.
        response.once('error', finish);
        limit.addEventListener('abort', finish, { once: true });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Uses the name servers directly: a look-up by the system could block all threads of the process. */
async function resolveName(name: string): Promise<readonly string[]> {
  if (name === 'localhost') return ['127.0.0.1'];
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const [four] = found;
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason as Error;
  return addresses;
}

async function abortable<Result>(work: Promise<Result>, limit: AbortSignal): Promise<Result> {
  return await new Promise<Result>((resolve, reject) => {
    limit.addEventListener('abort', () => reject(new Error('too late')), { once: true });
    work.then(resolve, reject);
  });
}

const answerText = (status: number, text: string): string =>
  oneLine(`Status ${status}${text === '' ? '' : `: ${text.slice(0, SHOWN_OF_ANSWER)}`}`);

/** The error without the address, because an address can contain a secret. */
function errorText(error: unknown): string {
  if (error instanceof RefusedError) return oneLine(error.message);
  const { code } = error as { code?: unknown };
  return oneLine(typeof code === 'string' ? `No connection: ${code}` : (error as Error).message);
}

const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_ERROR)
    .toWellFormed();
