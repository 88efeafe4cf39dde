import { UnavailableError } from './errors/domain-errors.js';

export interface Line {
  /** Longer than this nobody waits. */
  readonly length?: number;
  readonly maxWaitMs?: number;
  readonly refusal?: () => Error;
}

interface Waiting {
  readonly rank: number;
  readonly go: () => void;
  readonly refuse: () => void;
}

const tooMany = () => new UnavailableError('OVERLOADED', 'Too many requests at this moment', 1);

/**
 * Lets so much work go on at a time; the rest waits in a line of bounded length. Who comes with a lower rank goes
 * first, and takes the place of the last one where the line is full.
 */
export class Semaphore {
  private running = 0;
  private readonly waiting: Waiting[] = [];
  private readonly length: number;
  private readonly maxWaitMs: number | undefined;
  private readonly refusal: () => Error;

  constructor(
    private readonly atOnce: number,
    { length = 10_000, maxWaitMs, refusal = tooMany }: Line = {},
  ) {
    this.length = length;
    this.maxWaitMs = maxWaitMs;
    this.refusal = refusal;
  }

  /** @throws what `refusal` makes, for whom the line has no place or who waited too long */
  async run<Result>(work: () => Promise<Result>, rank = 0): Promise<Result> {
    if (this.running < this.atOnce) this.running++;
    else await this.wait(rank);
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that no newcomer can take it first.
      const next = this.waiting.shift();
      if (next) next.go();
      else this.running--;
    }
  }

  private async wait(rank: number): Promise<void> {
    const last = this.waiting.at(-1);
    if (this.waiting.length >= this.length) {
      if (last === undefined || last.rank <= rank) throw this.refusal();
      this.waiting.pop();
      last.refuse();
    }
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        rank,
        go: () => {
          clearTimeout(limit);
          resolve();
        },
        refuse: () => {
          clearTimeout(limit);
          reject(this.refusal());
        },
      };
      const limit =
        this.maxWaitMs === undefined ? undefined : setTimeout(() => this.giveUp(one), this.maxWaitMs);
      const behind = this.waiting.findIndex((other) => other.rank > rank);
      this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, one);
    });
  }

  private giveUp(one: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(one), 1);
    one.refuse();
  }
}
