import { UnavailableError } from '../errors/domain-errors.js';
import { isUnavailable } from '../errors/unavailable.js';
import { Injectable } from '@nestjs/common';

/** What is mostly known at once: a promise for each would make every request wait in a queue, and costs more than the answer. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is known. */
export function soon<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

export interface Line {
  /** Longer than this nobody waits. */
  readonly length?: number;
  readonly maxWaitMs?: number;
  readonly refusal?: () => Error;
}

interface Queued {
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
  private readonly waiting: Queued[] = [];
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
      const one: Queued = {
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

  private giveUp(one: Queued): void {
    this.waiting.splice(this.waiting.indexOf(one), 1);
    one.refuse();
  }
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly lane: string;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

interface Limits<Item> {
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /** Items of one lane share batches, and never with those of another: what holds up the one leaves the others. */
  readonly laneOf?: (item: Item) => string;
  /** Batches of different lanes that may be under way at once; one by default. */
  readonly maxRunning?: number;
  /** A batch that takes longer, on a connection that hangs for instance, holds up no other; for ever by default. */
  readonly patienceMs?: number;
  /** How long after the start of a batch the next one may start: what is cheap together and dear alone; 0 by default. */
  readonly restMs?: number;
}

/**
 * Collects what arrives while a batch is under way and handles it as the next batch. What finds none under way goes
 * as soon as what arrived with it, in the same turn of the event loop, has been read too: nothing waits for a time, and
 * the first of many does not go alone while all others wait for it. Under load a batch is as large as the load, up to `maxBatch`.
 */
export class MicroBatcher<Item, Result> {
  /** By lane, the lane that waits longest first. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();
  /** By lane, the batch that holds it up. */
  private readonly running = new Map<string, readonly Waiting<Item, Result>[]>();
  /** All that have no result yet, those included that hold up no other. */
  private readonly underWay = new Set<readonly Waiting<Item, Result>[]>();
  private size = 0;
  private starts = false;
  private startedAt = -Infinity;

  constructor(
    /** Handles a batch; one result for each item, in order. When the batch fails, its items are tried one by one. */
    private readonly handle: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly limits: Limits<Item>,
  ) {}

  /** How long the oldest item has been waiting for its result, in milliseconds; 0 when there is none. */
  get oldestMs(): number {
    let oldest = Infinity;
    for (const items of [...this.waiting.values(), ...this.underWay])
      oldest = Math.min(oldest, items[0]?.since ?? Infinity);
    return oldest === Infinity ? 0 : performance.now() - oldest;
  }

  /** @throws UnavailableError when too many are waiting already. */
  async add(item: Item): Promise<Result> {
    if (this.size >= this.limits.maxWaiting)
      throw new UnavailableError('OVERLOADED', 'Too many donations at this moment; send this one again', 1);
    return await new Promise<Result>((resolve, reject) => {
      const lane = this.limits.laneOf?.(item) ?? '';
      const queue = this.waiting.get(lane);
      const waiting = { item, lane, since: performance.now(), resolve, reject };
      if (queue) queue.push(waiting);
      else this.waiting.set(lane, [waiting]);
      this.size++;
      if (!this.running.has(lane)) this.startSoon();
    });
  }

  private startSoon(): void {
    if (this.starts) return;
    this.starts = true;
    const start = (): void => {
      this.starts = false;
      this.startNext();
    };
    const rest = this.startedAt + (this.limits.restMs ?? 0) - performance.now();
    if (rest > 0) setTimeout(start, rest);
    else setImmediate(start);
  }

  private startNext(): void {
    for (const [lane, queue] of this.waiting) {
      if (this.running.size >= (this.limits.maxRunning ?? 1)) return;
      if (!this.running.has(lane)) void this.run(lane, queue);
    }
  }

  private async run(lane: string, queue: Waiting<Item, Result>[]): Promise<void> {
    const batch = queue.splice(0, this.limits.maxBatch);
    this.size -= batch.length;
    // What is left goes behind the other lanes.
    this.waiting.delete(lane);
    if (queue.length > 0) this.waiting.set(lane, queue);
    this.startedAt = performance.now();
    this.running.set(lane, batch);
    this.underWay.add(batch);
    const { patienceMs } = this.limits;
    const timer = patienceMs && setTimeout(() => this.free(lane, batch), patienceMs);
    await this.settle(batch);
    clearTimeout(timer);
    this.underWay.delete(batch);
    this.free(lane, batch);
  }

  private free(lane: string, batch: readonly Waiting<Item, Result>[]): void {
    if (this.running.get(lane) !== batch) return;
    this.running.delete(lane);
    if (this.limits.restMs === undefined) this.startNext();
    else if (this.waiting.size > 0) this.startSoon();
  }

  private async settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.handle(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      // One bad item must not fail its neighbours: each goes again alone. Not so when the connection was lost:
      // the batch may have been committed, and only its senders can ask again under their keys.
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.settle([waiting]);
    }
  }
}

/** How long the oldest piece of some work has been waiting, in milliseconds. */
type Age = () => number;

/** Work that is done in the background of requests, for health and metrics: who does it says how far behind it is. */
@Injectable()
export class Backlogs {
  private readonly ages = new Map<string, Age>();

  /** Call it when the application is made, once for each name. */
  register(name: string, age: Age): void {
    this.ages.set(name, age);
  }

  /** Milliseconds by name. */
  read(): [name: string, ageMs: number][] {
    return [...this.ages].map(([name, age]) => [name, age()]);
  }
}
