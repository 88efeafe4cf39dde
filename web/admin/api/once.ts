import { t } from '../../desk/texts.js';
import { api } from './client.js';
import { ApiError } from './errors.js';

/*
 * Requests that move money. The browser stores the key and body of a request before sending, and deletes them after the
 * answer. After a lost connection or a reload, the page therefore repeats the same request and sends no second one.
 */

interface Pending {
  readonly key: string;
  readonly body: unknown;
  readonly startedAt: number;
}

const PREFIX = 'desk.once.';

/** Returns the unanswered request of this name, for example `refund.<donation id>`. */
export function pendingOf(name: string): Pending | undefined {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : (JSON.parse(text) as Pending);
  } catch {
    return undefined;
  }
}

/** A unique key. Pages without TLS have no `randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

const end = (name: string): void => localStorage.removeItem(PREFIX + name);

/**
 * Sends the request. If an earlier request of this name has no answer, the server may have received it. So this function
 * sends the key and body of the earlier request again.
 */
export async function sendOnce<Answer>(name: string, path: string, body: unknown): Promise<Answer> {
  const run = async () => {
    const pending = pendingOf(name) ?? { key: newKey(), body, startedAt: Date.now() };
    localStorage.setItem(PREFIX + name, JSON.stringify(pending));
    try {
      const answer = await api<Answer>(path, {
        method: 'POST',
        body: pending.body,
        headers: { 'idempotency-key': pending.key },
      });
      end(name);
      return answer;
    } catch (error) {
      // A refusal is a final answer. Without an answer, or after a server error, the result is unknown and the key stays.
      if (error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 401) {
        end(name);
        throw error;
      }
      throw new Error(`${error instanceof Error ? error.message : ''} ${t('once.unknown')}`.trim(), {
        cause: error,
      });
    }
  };
  return 'locks' in navigator ? await navigator.locks.request(PREFIX + name, run) : await run();
}
