import { UnavailableError } from './errors/domain-errors.js';

/** Lets so much work go on at a time; the rest waits in line, up to a bound. */
export class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly maxWaiting = 10_000,
  ) {}

  /** @throws UnavailableError when too many are waiting already */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.atOnce) this.running++;
    else if (this.waiting.length >= this.maxWaiting)
      throw new UnavailableError('OVERLOADED', 'Too many requests at this moment', 1);
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that no newcomer can take it first.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
