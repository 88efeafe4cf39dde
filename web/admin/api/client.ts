import { noteTime } from '../../kit/clock.js';
import { Store } from '../../desk/store.js';
import { t } from '../../desk/texts.js';
import { noteBudget } from './budget.js';
import { askConfirmation, confirmation } from './confirmation.js';
import type { RefusedEdit, RefusedReceipt } from '../../../src/common/errors/error-body.js';
import { ApiError, OfflineError } from './errors.js';
import { refusalTexts } from './refusals.js';
import { accessToken } from './session.js';

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Body sent unchanged, such as a picture. */
  readonly raw?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** True for a file download, which has no timeout. */
  readonly long?: true;
  /** Sends no token: for requests that sign in. */
  readonly open?: boolean;
}

/** Counts how often the server refused a request because the organization now requires a second factor. */
export const factorAsked = new Store(0);

const PATIENCE_MS = 30_000;
/**
 * Longest wait after which a request is sent again automatically. This is safe after a rate limit, because the server
 * did not run the refused request.
 */
const LONGEST_WAIT_S = 20;

/**
 * Sends one request to the server.
 * @throws ApiError, OfflineError, SignedOutError
 */
export async function api<Answer>(path: string, sent: Sent = {}): Promise<Answer> {
  const response = await ask(path, sent);
  const text = await response.text().catch((cause: unknown) => {
    throw lost(cause, sent);
  });
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** Sends a request and returns the raw response, for files. */
export async function ask(path: string, sent: Sent = {}, again = true): Promise<Response> {
  const token = sent.open ? undefined : await accessToken();
  let response = await send(path, sent, token);
  if (response.status === 401 && token !== undefined)
    response = await send(path, sent, await accessToken(token));
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.code === 'IDENTITY_NOT_CONFIRMED' && again) {
    if ((await askConfirmation()) === undefined) throw new Error(t('confirm.left'), { cause: error });
    return ask(path, sent, false);
  }
  if (error.code === 'SECOND_FACTOR_SETUP_REQUIRED') factorAsked.set(factorAsked.get() + 1);
  // At sign-in the person must see an error immediately.
  const wasTooSoon = error.code === 'RATE_LIMITED' && !sent.open;
  if (again && wasTooSoon && (error.retryAfter ?? 60) <= LONGEST_WAIT_S) {
    await pause((error.retryAfter ?? 1) * 1000, sent.signal);
    return ask(path, sent, false);
  }
  throw error;
}

async function send(path: string, sent: Sent, token: string | undefined): Promise<Response> {
  const headers: Record<string, string> = { ...sent.headers };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  const confirmed = sent.open || (sent.method ?? 'GET') === 'GET' ? undefined : confirmation();
  if (confirmed !== undefined) headers['x-confirmation'] = confirmed;
  if (sent.body !== undefined) headers['content-type'] = 'application/json';
  // Outside the try block, because an exception here is a programming error and not a lost network.
  const request = new Request(path, {
    method: sent.method ?? 'GET',
    headers,
    body: sent.raw ?? (sent.body === undefined ? null : JSON.stringify(sent.body)),
    signal: signalOf(sent),
  });
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    throw lost(cause, sent);
  }
  noteBudget(response.headers);
  noteTime(response.headers);
  return response;
}

function signalOf({ signal, long }: Sent): AbortSignal | null {
  if (long) return signal ?? null;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  if (!signal) return patience;
  // `AbortSignal.any` does not exist in all supported browsers.
  const either = new AbortController();
  for (const one of [signal, patience]) {
    if (one.aborted) either.abort();
    one.addEventListener('abort', () => either.abort());
  }
  return either.signal;
}

const lost = (cause: unknown, { signal }: Sent): Error =>
  signal?.aborted
    ? new DOMException('aborted', 'AbortError')
    : new OfflineError(t('error.offline'), { cause });

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<RefusedEdit & RefusedReceipt>;
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  const { message, fields } = refusalTexts(new URL(response.url).pathname, response.status, body);
  return new ApiError(response.status, body.code ?? '', message, retryAfter, body.details, fields);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    });
  });
}

/** Returns the query string of the values that are not empty. */
export function queryOf(values: Readonly<Record<string, string | number | undefined | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
