import { t } from '../../desk/texts.js';
import { api } from './client.js';
import { ApiError } from './errors.js';

/*
 * Requests that move money. Each has a key that is written down before it is sent and stays until the server has given
 * an answer, so that a lost connection, a reload or a second tab sends the same request again and never a second one.
 */

interface Pending {
  readonly key: string;
  readonly body: unknown;
  readonly startedAt: number;
}

const PREFIX = 'desk.once.';

/** The request of this kind about this donation that has had no answer yet. */
export function pendingOf(name: string): Pending | undefined {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : (JSON.parse(text) as Pending);
  } catch {
    return undefined;
  }
}

/** A key that nobody else has; pages without TLS have no `randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

const end = (name: string): void => localStorage.removeItem(PREFIX + name);

/**
 * Sends it, under the key of the earlier try where there was one: then the earlier body too, because that one may have
 * arrived.
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
      // A refusal is an answer. No answer, and a fault of the server, leave open what happened.
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
