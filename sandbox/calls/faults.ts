export type Provider = 'stripe' | 'paypal';

/**
 * - `hang`: no answer; with `ms`, an answer after this time.
 * - `reset`: the sandbox closes the connection without an answer.
 * - `error`: an error with the status 500, or `status`.
 * - `html`: the HTML page of a gateway, with the status 502, or `status`.
 * - `huge`: an answer of `bytes` bytes; default 20 MB.
 * - `wrong_amount`: the normal answer with another amount: `amount` in minor units; default one minor unit more.
 * - `rate_limit`: 429.
 * - `forbidden`: 403, as if the key had no permission to this call.
 * - `decline`: the bank declines (capture of an order, confirmation of a payment, refund).
 * - `pending`: the payment or refund of this call is pending until a control completes or fails it.
 * - `requires_action`: the refund of this call waits for the donor's bank details.
 * - `webhook_twice`, `webhook_late` (after `ms`, default 1 s), `webhook_never`: for the operation `webhook` or
 *   `webhook:<event type>`.
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
  /** An operation from the list in the README, `webhook`, `webhook:<type>`, or `*` for every API call. */
  operation: string;
  kind: FaultKind;
  /** Number of calls that get the fault; default 1. With 0, every call gets the fault until the fault is removed. */
  times?: number;
  /** Number of matching calls that do not get the fault, before the first call that does. */
  skip?: number;
  /**
   * For hang, reset, error, html and huge: true if the API first executes the call. Default false: the call has no
   * effect.
   */
  after?: boolean;
  /** For `error` at Stripe: true if Stripe stores the 500 under the idempotency key and sends it again to repeats. */
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

/** The active faults. A call gets the first fault that matches. */
export class Faults {
  private armed: Armed[] = [];
  private nextId = 1;

  /** Adds a fault. Returns its id, for `remove`. */
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

  /** Returns the active faults. `hits` is the number of calls that got the fault. */
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
