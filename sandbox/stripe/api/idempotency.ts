import type { Reply } from '../../calls/http.js';
import { type Clock, DAY_MS } from '../../common/clock.js';
import { StripeError } from '../errors.js';

export interface StoredReply {
  fingerprint: string;
  reply: Reply;
  /** Time by the sandbox's clock, in milliseconds. Absent in files of an earlier version. */
  at?: number;
}

/** Stripe may delete a key one day after its first use. */
const KEPT_MS = DAY_MS;

/**
 * Stores answers by `Idempotency-Key`, as Stripe does. Also stores answers with status 500, and 4xx answers of calls
 * that were executed.
 */
export class IdempotencyKeys {
  private readonly stored = new Map<string, StoredReply>();
  private readonly inFlight = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /**
   * Returns the stored answer. Throws an error if the key was used for another request, or if a request with this key
   * is in progress.
   */
  find(key: string, fingerprint: string): Reply | undefined {
    const earlier = this.stored.get(key);
    if (!earlier || this.clock.now() - (earlier.at ?? this.clock.now()) > KEPT_MS) return undefined;
    if (earlier.fingerprint !== fingerprint) {
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
        `Try using a key other than '${key}' if you meant to execute a different request.`;
      throw new StripeError(400, { type: 'idempotency_error', message }, false);
    }
    return { ...earlier.reply, headers: { ...earlier.reply.headers, 'idempotent-replayed': 'true' } };
  }

  refuseInFlight(key: string): void {
    if (!this.inFlight.has(key)) return;
    const message =
      'There is currently another in-progress request using this Idempotent Key (that probably means you submitted ' +
      'twice, and the other request is still going through): ' +
      `${key}. Please try again later.`;
    throw new StripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message }, false);
  }

  store(key: string, fingerprint: string, reply: Reply): void {
    this.stored.set(key, { fingerprint, reply, at: this.clock.now() });
  }

  /** Deletes all keys. Used when the account changes, because idempotency keys belong to an account. */
  clear(): void {
    this.stored.clear();
  }

  /** Returns the stored answers, for saving and restoring. */
  entries(): [string, StoredReply][] {
    return [...this.stored];
  }

  restore(entries: [string, StoredReply][]): void {
    for (const [key, reply] of entries) this.stored.set(key, reply);
  }

  /** Marks a slow request as in progress. Call the returned function when the request continues. */
  hold(key: string): () => void {
    this.inFlight.set(key, (this.inFlight.get(key) ?? 0) + 1);
    return () => {
      const left = (this.inFlight.get(key) ?? 1) - 1;
      if (left > 0) this.inFlight.set(key, left);
      else this.inFlight.delete(key);
    };
  }
}
