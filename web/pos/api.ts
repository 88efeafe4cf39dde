import { noteTime } from '../kit/clock.js';

/** The server refused the request. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/** No usable answer: the network is missing, a proxy answered, or the server had an error. The result is unknown. */
export class NoAnswer extends Error {
  constructor(
    message: string,
    /** True if some server answered, for example a proxy. */
    readonly reached: boolean,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly token?: string | undefined;
  /** Device token of an enrolled terminal. */
  readonly device?: string | undefined;
  readonly key?: string;
}

const PATIENCE_MS = 15_000;

/**
 * Sends a request to the server.
 * @throws ApiError if the server refuses
 * @throws NoAnswer if no answer of the server arrives, for example if a captive portal answers with its own page
 */
export async function ask<Answer>(path: string, request: Ask = {}): Promise<Answer> {
  const response = await reach(path, request);
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && typeof body === 'object' && body !== null) return body as Answer;
  throw refusalOf(response, body);
}

/** Requests a file from the server, such as a receipt. */
export async function askFile(path: string, request: Ask): Promise<Blob> {
  const response = await reach(path, request);
  if (response.ok) return await response.blob();
  throw refusalOf(response, await response.json().catch(() => undefined as unknown));
}

async function reach(path: string, { method = 'GET', body, token, device, key }: Ask): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (device !== undefined) headers['x-device-token'] = device;
  if (key !== undefined) headers['idempotency-key'] = key;
  // Outside the try block, because an exception here is a programming error and not a lost network.
  const request = new Request(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    throw new NoAnswer(String(cause), false);
  }
  noteTime(response.headers);
  return response;
}

function refusalOf(response: Response, body: unknown): ApiError | NoAnswer {
  const retryAfterMs = readRetryAfter(response);
  const { code, message, statusCode } = (body ?? {}) as Record<string, unknown>;
  // Accepts only errors in the server's own format. Otherwise a 404 of a proxy would look like a refused record.
  return typeof code === 'string' && statusCode === response.status
    ? new ApiError(response.status, code, typeof message === 'string' ? message : code, retryAfterMs)
    : new NoAnswer(`${response.status} without an answer of the service`, true, retryAfterMs);
}

function readRetryAfter(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
