interface Planned {
  at: number;
  run: () => void;
}

/**
 * The time by which the sandbox dates its objects: the real one, moved at will. What is checked against the
 * receiver's own clock (signatures of webhooks, access tokens) stays in real time.
 */
export class Clock {
  private offset = 0;
  private planned: Planned[] = [];

  /** Milliseconds. */
  now(): number {
    return Date.now() + this.offset;
  }

  /** Whole seconds, as Stripe dates its objects. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** `2026-11-21T13:20:46Z`: PayPal writes whole seconds. */
  timestamp(offsetMs = 0): string {
    return `${new Date(this.now() + offsetMs).toISOString().slice(0, 19)}Z`;
  }

  /** Moves the time on, or back with a negative number; what was planned until then happens now. */
  advance(ms: number): void {
    this.offset += ms;
    const due = this.planned.filter(({ at }) => at <= this.now()).sort((one, other) => one.at - other.at);
    this.planned = this.planned.filter((plan) => !due.includes(plan));
    for (const { run } of due) run();
  }

  set(when: Date): void {
    this.advance(when.getTime() - this.now());
  }

  /** Back to the real time. */
  reset(): void {
    this.offset = 0;
  }

  /** Does something as if it were another time: `clock.at(daysAgo(5), () => sandbox.stripe.createPaid(…))`. */
  at<T>(when: Date, run: () => T): T {
    const before = this.offset;
    this.offset = when.getTime() - Date.now();
    try {
      return run();
    } finally {
      this.offset = before;
    }
  }

  /** Happens once the clock was moved so far on. */
  plan(afterMs: number, run: () => void): void {
    this.planned.push({ at: this.now() + afterMs, run });
  }
}

export const DAY_MS = 24 * 3600 * 1000;
