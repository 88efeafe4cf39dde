const clock = (): number => performance.now();

/** Limits a rate: allows a burst at once, and then a fixed number per second. */
export class TokenBucket {
  private tokens: number;
  private at: number;

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
    private readonly now: () => number = clock,
  ) {
    this.tokens = burst;
    this.at = now();
  }

  /** Returns the used share of the burst, from 0 to 1. */
  get used(): number {
    this.refill();
    return 1 - this.tokens / this.burst;
  }

  /** Takes a token if one is available; returns false otherwise. */
  take(): boolean {
    this.refill();
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  private refill(): void {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1_000) * this.perSecond);
    this.at = now;
  }
}
