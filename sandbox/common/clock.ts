interface Planned {
  at: number;
  run: () => void;
}

/**
 * The adjustable clock for the times of the sandbox's objects. Webhook signatures and access tokens use the real
 * time, because receivers check them with their own clock.
 */
export class Clock {
  private offset = 0;
  private planned: Planned[] = [];

  /** Current time in milliseconds. */
  now(): number {
    return Date.now() + this.offset;
  }

  /** Current time in whole seconds, like the times of Stripe's objects. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Returns a time in PayPal's form, with whole seconds: `2026-11-21T13:20:46Z`. */
  timestamp(offsetMs = 0): string {
    return `${new Date(this.now() + offsetMs).toISOString().slice(0, 19)}Z`;
  }

  /** Moves the time forward, or back with a negative number. Runs the actions that were planned up to the new time. */
  advance(ms: number): void {
    this.offset += ms;
    const due = this.planned.filter(({ at }) => at <= this.now()).sort((one, other) => one.at - other.at);
    this.planned = this.planned.filter((plan) => !due.includes(plan));
    for (const { run } of due) run();
  }

  set(when: Date): void {
    this.advance(when.getTime() - this.now());
  }

  /** Sets the clock back to the real time. */
  reset(): void {
    this.offset = 0;
  }

  /** Runs a function with the clock set to another time: `clock.at(daysAgo(5), () => sandbox.stripe.createPaid(…))`. */
  at<T>(when: Date, run: () => T): T {
    const before = this.offset;
    this.offset = when.getTime() - Date.now();
    try {
      return run();
    } finally {
      this.offset = before;
    }
  }

  /** Plans a function. `advance` runs the function when the clock has moved forward by `afterMs`. */
  plan(afterMs: number, run: () => void): void {
    this.planned.push({ at: this.now() + afterMs, run });
  }
}

export const DAY_MS = 24 * 3600 * 1000;
