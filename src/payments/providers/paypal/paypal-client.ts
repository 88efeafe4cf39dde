import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import * as z from 'zod';
import type { PayPalConfig } from './paypal-environment.js';
import { answerCache } from '../../../common/caching/answer-cache.js';
import { KeyRights } from '../key-rights.js';
import {
  MissingRightError,
  PaymentUnreadableError,
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../provider-errors.js';
import { type BoundedAnswer, boundedFetch, FetchFailure } from './bounded-fetch.js';
import { tokenSchema } from './paypal-objects.js';
import { mayBeForeign, rightOf, showsRight } from './paypal-rights.js';

export interface PayPalClientLimits {
  /** Time limit for one exchange, including its body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Pauses before the second, third … try. After the last pause there is one more try. */
  readonly retryDelaysMs: readonly number[];
}

const LIMITS: PayPalClientLimits = {
  timeoutMs: 10_000,
  maxBytes: 4 * 1024 * 1024,
  retryDelaysMs: [150, 600],
};

/** The client gets a new token this time before the old token expires, so that no token expires during a request. */
const TOKEN_MARGIN_MS = 60_000;

/** PayPal's codes for "the first request with the same key is still in progress". A retry helps. */
const IN_PROGRESS: ReadonlySet<string> = new Set([
  'PREVIOUS_REQUEST_IN_PROGRESS',
  'ORDER_COMPLETION_IN_PROGRESS',
]);

interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Value of `PayPal-Request-Id`. PayPal executes several requests with the same value only once. */
  readonly requestId?: string;
}

type Result = { readonly status: number; readonly body: unknown };

/** There was no usable answer, but a retry may get one. */
class Transient extends Error {}

/**
 * PayPal's REST API over `fetch`: access tokens, idempotency keys, timeouts, bounded answers and retries. A refusal
 * is a `ProviderRefusedError` with PayPal's issue, such as `ORDER_NOT_APPROVED`. An unknown outcome is a
 * `ProviderUnavailableError`.
 */
export class PayPalClient {
  private readonly logger = new Logger('PayPal');
  /** Rights of the PayPal application. */
  readonly rights = new KeyRights();
  private readonly limits: PayPalClientLimits;
  private readonly base: string;
  private readonly tokens = answerCache<'access', string>(
    { max: 1, keptMs: 1 },
    async (_key, { keepFor }) => {
      const { access_token: token, expires_in: seconds } = await this.fetchToken();
      keepFor(seconds * 1000 - TOKEN_MARGIN_MS);
      return token;
    },
  );

  constructor(
    private readonly config: Pick<PayPalConfig, 'apiUrl' | 'clientId' | 'clientSecret'>,
    limits: Partial<PayPalClientLimits> = {},
  ) {
    this.limits = { ...LIMITS, ...limits };
    this.base = `${config.apiUrl.origin}${config.apiUrl.pathname.replace(/\/+$/, '')}`;
  }

  /** Returns the object at a path; undefined if PayPal answers 404. */
  async get<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const result = await this.exchange({ method: 'GET', path });
    if (result.status === 404) return undefined;
    return this.read(result, schema, path);
  }

  /**
   * Sends JSON text unchanged.
   * @param requestId the idempotency key; only a request that changes nothing may omit it
   */
  async post<T>(path: string, body: string, schema: z.ZodType<T>, requestId?: string): Promise<T> {
    return this.read(await this.exchange({ method: 'POST', path, body, requestId }), schema, path);
  }

  /** Retries until the answer is final: a success, a refusal, or a 404 to a GET. */
  private async exchange(request: Exchange): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.attempt(request);
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        const pause = this.limits.retryDelaysMs[attempt];
        if (pause === undefined) throw this.unavailable(request.path, error.message, error);
        await sleep(pause * (0.75 + Math.random() / 2));
      }
    }
  }

  private async attempt(request: Exchange): Promise<Result> {
    const token = await this.accessToken();
    const result = await this.send(request, token);
    if (result.status !== 401) return result;
    // Tokens can be revoked early, so try once with a new token.
    if (this.tokens.get('access') === token) this.tokens.delete('access');
    const again = await this.send(request, await this.accessToken());
    if (again.status === 401) throw this.unavailable(request.path, 'the access token is refused');
    return again;
  }

  private async send({ method, path, body, requestId }: Exchange, token: string): Promise<Result> {
    const headers = {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json', Prefer: 'return=representation' }),
      ...(requestId !== undefined && { 'PayPal-Request-Id': requestId }),
    };
    const result = this.settle(path, await this.fetch(path, { method, headers, body }));
    if (result.status < 400 && showsRight(method, path)) this.rights.given(rightOf(path));
    if (result.status < 400 || result.status === 401 || (result.status === 404 && method === 'GET'))
      return result;
    throw this.refused(method, path, result);
  }

  /** Requests that need a new token at the same time use the same token. */
  private async accessToken(): Promise<string> {
    return (await this.tokens.fetch('access')) ?? '';
  }

  private async fetchToken(): Promise<z.infer<typeof tokenSchema>> {
    const path = '/v1/oauth2/token';
    const { clientId, clientSecret } = this.config;
    const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const answer = await this.fetch(path, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${credentials}`,
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    const result = this.settle(path, answer);
    if (result.status >= 400)
      throw this.unavailable(path, `the client id or secret is refused (${String(result.status)})`);
    return this.read(result, tokenSchema, path);
  }

  private async fetch(path: string, init: Parameters<typeof boundedFetch>[1]): Promise<BoundedAnswer> {
    try {
      return await boundedFetch(this.base + path, init, this.limits);
    } catch (error) {
      // Do not retry after a timeout, because the caller has already waited too long. Do not retry after a too large
      // answer either.
      if (error instanceof FetchFailure && error.kind === 'network')
        throw new Transient(error.message, { cause: error });
      throw this.unavailable(path, error instanceof Error ? error.message : 'failed', error);
    }
  }

  /** Throws an error if the answer does not show the result of the request. */
  private settle(path: string, { status, text }: BoundedAnswer): Result {
    if (status >= 500) throw new Transient(`status ${String(status)}`);
    const body = parseJson(text);
    // An answer without JSON, such as an HTML page, comes from a gateway between us and PayPal.
    if (body === undefined) throw this.unavailable(path, `status ${String(status)} without JSON`);
    if (status === 409 || IN_PROGRESS.has(issueOf(body) ?? ''))
      throw new Transient(`status ${String(status)}`);
    if (status === 408 || status === 425 || status === 429 || (status >= 300 && status < 400))
      throw this.unavailable(path, `status ${String(status)}`);
    return { status, body };
  }

  private refused(method: string, path: string, { status, body }: Result): ProviderRefusedError {
    const reason = issueOf(body) ?? `HTTP_${String(status)}`;
    this.logger.warn({ msg: `PayPal refused ${path}`, status, reason, debugId: debugIdOf(body) });
    if (status === 403 && !mayBeForeign(method, path)) {
      const right = rightOf(path);
      this.rights.missing(right);
      return new MissingRightError('paypal', right, reason);
    }
    return status === 403 || status === 404
      ? new PaymentUnreadableError(reason)
      : new ProviderRefusedError(reason);
  }

  private read<T>(result: Result, schema: z.ZodType<T>, path: string): T {
    const parsed = schema.safeParse(result.body);
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues.map(({ path: at }) => at.join('.')).join(', ');
    throw this.unavailable(path, `unexpected answer at ${problems}`);
  }

  private unavailable(path: string, reason: string, cause?: unknown): ProviderUnavailableError {
    this.logger.warn({ msg: `No usable answer from PayPal to ${path}`, reason });
    return new ProviderUnavailableError('PayPal', { cause: cause ?? new Error(reason) });
  }
}

const errorSchema = z.object({
  name: z.string().nullish(),
  debug_id: z.string().nullish(),
  details: z.array(z.object({ issue: z.string().nullish() })).nullish(),
});

/**
 * Returns `details[0].issue` or the error's name. The result must have the form of a code, because staff and donors
 * see it.
 */
function issueOf(body: unknown): string | undefined {
  const error = errorSchema.safeParse(body).data;
  return [error?.details?.[0]?.issue, error?.name].find(
    (code): code is string => typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code),
  );
}

function debugIdOf(body: unknown): string | undefined {
  return errorSchema.safeParse(body).data?.debug_id?.slice(0, 64);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
