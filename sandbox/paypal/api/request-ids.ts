import { createHash } from 'node:crypto';
import { type Call, header } from '../../calls/http.js';
import { type Clock, DAY_MS } from '../../common/clock.js';
import { type ErrorDetail, PayPalError, type PayPalErrorName } from '../errors.js';
import type { PayPalAnswer } from './call.js';

interface Refusal {
  status: number;
  name: PayPalErrorName;
  details: ErrorDetail[];
}

export interface StoredAnswer {
  fingerprint: string;
  answer?: PayPalAnswer;
  refusal?: Refusal;
  /** Time by the sandbox's clock, in milliseconds. Absent in files of an earlier version. */
  at?: number;
}

const ORDERS_KEPT_MS = 6 * 3600 * 1000;
const PAYMENTS_KEPT_MS = 45 * DAY_MS;
const MAXIMUM_LENGTH = 108;

/**
 * `PayPal-Request-Id`: a repeated request returns the object that the first one created, in its current state.
 * Request ids of orders and their captures are kept for 6 hours, and request ids of refunds for 45 days.
 */
export class RequestIds {
  /** If true, an answer with status 422 is stored too, and is sent again until the client uses another id. */
  keepsRefusals = false;
  private readonly stored = new Map<string, StoredAnswer>();
  private readonly inFlight = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Returns the stored answers, for saving and restoring. */
  entries(): [string, StoredAnswer][] {
    return [...this.stored];
  }

  restore(answers: [string, StoredAnswer][]): void {
    for (const [key, answer] of answers) this.stored.set(key, answer);
  }

  hold(call: Call): () => void {
    const key = requestKey(call);
    if (key === undefined) return () => undefined;
    this.inFlight.add(key);
    return () => {
      this.inFlight.delete(key);
    };
  }

  /** Runs a request, or returns the answer of the first request with the same id. */
  once(call: Call, body: string, run: () => PayPalAnswer): PayPalAnswer {
    const key = requestKey(call);
    if (key === undefined) return run();
    if (this.inFlight.has(key)) throw inProgress();
    const fingerprint = createHash('sha256').update(`${call.method} ${call.path} ${body}`).digest('hex');
    const earlier = this.find(key);
    if (!earlier) return this.first(key, fingerprint, run);
    if (earlier.fingerprint !== fingerprint) throw duplicate();
    if (earlier.answer) return { ...earlier.answer, status: earlier.answer.again ?? earlier.answer.status };
    const { status, name, details } = earlier.refusal ?? {
      status: 500,
      name: 'INTERNAL_SERVER_ERROR',
      details: [],
    };
    throw new PayPalError(status, name, details);
  }

  private first(key: string, fingerprint: string, run: () => PayPalAnswer): PayPalAnswer {
    const at = this.clock.now();
    try {
      const answer = run();
      this.stored.set(key, { fingerprint, answer, at });
      return answer;
    } catch (error) {
      if (error instanceof PayPalError && error.status === 422 && this.keepsRefusals) {
        const { status, errorName: name, details } = error;
        this.stored.set(key, { fingerprint, refusal: { status, name, details }, at });
      }
      throw error;
    }
  }

  private find(key: string): StoredAnswer | undefined {
    const earlier = this.stored.get(key);
    const age = this.clock.now() - (earlier?.at ?? this.clock.now());
    return age <= (key.startsWith('/v2/checkout/') ? ORDERS_KEPT_MS : PAYMENTS_KEPT_MS) ? earlier : undefined;
  }
}

/**
 * Returns the key of a stored answer. The key contains the operation, because clients may use the same id for
 * different operations.
 */
function requestKey(call: Call): string | undefined {
  const id = call.method === 'POST' ? header(call.headers, 'paypal-request-id') : undefined;
  if (id === undefined) return undefined;
  if (id.length > MAXIMUM_LENGTH) {
    const description = 'The value of a field is either too short or too long';
    const detail = {
      field: 'PayPal-Request-Id',
      location: 'header' as const,
      issue: 'INVALID_STRING_LENGTH',
      description,
    };
    throw new PayPalError(400, 'INVALID_REQUEST', [detail]);
  }
  return `${call.path.replace(/\/$/, '')} ${id}`;
}

function inProgress(): PayPalError {
  const description =
    'A previous request on this resource is currently in progress. Please wait for sometime and try again. It is ' +
    'best to space out the initial and the subsequent request(s) to avoid receiving this error.';
  return new PayPalError(409, 'RESOURCE_CONFLICT', [{ issue: 'PREVIOUS_REQUEST_IN_PROGRESS', description }]);
}

function duplicate(): PayPalError {
  const description = 'The value of PayPal-Request-Id header has already been used';
  return new PayPalError(422, 'UNPROCESSABLE_ENTITY', [{ issue: 'DUPLICATE_REQUEST_ID', description }]);
}
