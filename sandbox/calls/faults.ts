export type Provider = 'stripe' | 'paypal';

/**
 * - `hang`: no answer (with `ms`: a late one).
 * - `reset`: the connection is cut.
 * - `error`: a 500, or `status`.
 * - `html`: a gateway's HTML page, 502 or `status`.
 * - `huge`: an answer of `bytes` (20 MB).
 * - `wrong_amount`: the true answer with another amount in it (`amount` minor units, or one more).
 * - `rate_limit`: 429.
 * - `forbidden`: 403, as for a key without the right for this call.
 * - `decline`: the bank says no (capture of an order, confirmation of a payment, refund).
 * - `pending`: the payment or refund made by this call waits; settle or fail it by a control.
 * - `requires_action`: the refund made by this call waits for bank details of the donor.
 * - `webhook_twice`, `webhook_late` (by `ms`, 1 s), `webhook_never`: for operation `webhook`
 *   or `webhook:<event type>`.
 */
export const FAULT_KINDS = [
  'hang',
  'reset',
  'error',
  'html',
  'huge',
  'wrong_amount',
  'rate_limit',
  'forbidden',
  'decline',
  'pending',
  'requires_action',
  'webhook_twice',
  'webhook_late',
  'webhook_never',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  provider: Provider;
  /** An operation of the README's list, `webhook`, `webhook:<type>`, or `*` for every API call. */
  operation: string;
  kind: FaultKind;
  /** How many calls it hits; default 1, 0 for every call until cleared. */
  times?: number;
  /** Let this many matching calls pass first. */
  skip?: number;
  /** For hang, reset, error, html and huge: false (default) before the effect, true after it. */
  after?: boolean;
  /** For `error` at Stripe: the 500 is stored under the idempotency key and replayed. */
  sticky?: boolean;
  ms?: number;
  status?: number;
  bytes?: number;
  amount?: number;
}

interface Armed extends Fault {
  id: number;
  left: number;
  skipLeft: number;
  hits: number;
}

/** Faults waiting to happen; the first that matches a call is used for it. */
export class Faults {
  private armed: Armed[] = [];
  private nextId = 1;

  /** Returns the id by which `remove` takes it away again. */
  add(fault: Fault): number {
    const times = fault.times ?? 1;
    const id = this.nextId++;
    this.armed.push({
      ...fault,
      id,
      left: times === 0 ? Infinity : times,
      skipLeft: fault.skip ?? 0,
      hits: 0,
    });
    return id;
  }

  remove(id: number): void {
    this.armed = this.armed.filter((fault) => fault.id !== id);
  }

  clear(): void {
    this.armed = [];
  }

  /** What is still waiting, and how often each has been used. */
  list(): (Fault & { id: number; hits: number })[] {
    return this.armed.map(({ left, skipLeft: _skipLeft, ...fault }) => ({
      ...fault,
      times: Number.isFinite(left) ? left : 0,
    }));
  }

  take(provider: Provider, operation: string): Fault | undefined {
    for (const fault of this.armed) {
      if (fault.provider !== provider || !matches(fault.operation, operation)) continue;
      if (fault.skipLeft > 0) {
        fault.skipLeft -= 1;
        continue;
      }
      fault.left -= 1;
      fault.hits += 1;
      if (fault.left <= 0) this.remove(fault.id);
      return fault;
    }
    return undefined;
  }
}

function matches(pattern: string, operation: string): boolean {
  if (pattern === operation) return true;
  if (operation.startsWith('webhook:')) return pattern === 'webhook';
  return pattern === '*';
}
