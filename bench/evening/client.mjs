// A client like a browser or a till. It sends a request to one of the two processes. After a failure, it sends the request to
// the other process with the same Idempotency-Key.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './figures.mjs';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const ATTEMPT_MS = 15_000;
const GIVE_UP_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** Statuses after which a client tries again. */
const LATER = new Set([429, 500, 502, 503, 504]);

/** Chooses the process for a request: the client's own process, unless this process has just failed. */
export class Addresses {
  static #FAILED_MS = 1_000;
  #failedAt;

  constructor(urls) {
    this.urls = urls;
    this.#failedAt = urls.map(() => 0);
  }

  /** @param home index of the client's own process */
  choose(home, attempt) {
    const index = (home + attempt) % this.urls.length;
    if (attempt > 0 || Date.now() - this.#failedAt[index] > Addresses.#FAILED_MS) return index;
    return (index + 1) % this.urls.length;
  }

  failed(index) {
    this.#failedAt[index] = Date.now();
  }
}

export class Client {
  /**
   * @param address address in the client's X-Forwarded-For header
   * @param home index of the client's own process
   */
  constructor({ addresses, figures, address, home, token }) {
    Object.assign(this, { addresses, figures, home, address, token });
  }

  /**
   * Retries until there is an answer.
   * @param kind row of the figures
   * @returns the body: parsed JSON, or the number of bytes; undefined after the client gave up
   */
  async ask(kind, method, path, { body, key } = {}) {
    const began = now();
    const headers = {
      'x-forwarded-for': this.address,
      ...(this.token && { authorization: `Bearer ${this.token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    };
    const text = body && JSON.stringify(body);
    for (let attempt = 0; ; attempt++) {
      const index = this.addresses.choose(this.home, attempt);
      const { status, error, answer, retryAfter } = await exchange(
        this.addresses.urls[index] + path,
        { method, headers },
        text,
      );
      if (status !== undefined && status < 300) {
        this.figures.wait(kind, began, now());
        return answer;
      }
      this.figures.error(kind, error ?? String(status));
      if (error) this.addresses.failed(index);
      const isLater = error !== undefined || LATER.has(status);
      if (!isLater || now() - began > GIVE_UP_MS) {
        this.figures.uncured.push(`${kind}: ${error ?? `${status} ${JSON.stringify(answer)}`}`);
        return undefined;
      }
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
      await sleep(Math.max(pause * (0.5 + Math.random() / 2), Math.min(retryAfter, LONGEST_PAUSE_MS)));
    }
  }
}

/**
 * Sends one request.
 * @returns `{ status, answer, retryAfter }` or `{ error, retryAfter }`
 */
export function exchange(url, options, text) {
  return new Promise((resolve) => {
    const fail = (error) => resolve({ error: error.code ?? error.message, retryAfter: 0 });
    const sent = request(url, { ...options, agent, timeout: ATTEMPT_MS }, (response) => {
      const isJson = response.headers['content-type']?.includes('json') ?? false;
      const chunks = [];
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
        if (isJson) chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () => {
        resolve({
          status: response.statusCode,
          answer: isJson ? JSON.parse(Buffer.concat(chunks)) : bytes,
          retryAfter: 1_000 * Number(response.headers['retry-after'] ?? 0),
        });
      });
    });
    sent.on('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'TIMEOUT' })));
    sent.on('error', fail);
    sent.end(text);
  });
}
