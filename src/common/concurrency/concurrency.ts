import { UnavailableError } from '../errors/domain-errors.js';
import { isUnavailable } from '../errors/unavailable.js';
import { Injectable } from '@nestjs/common';

/**
 * A value that is usually known at once. A promise for each value would cost more time than the value itself, and every request
 * would have to wait.
 */
export type Soon<Value> = Value | Promise<Value>;

/** Applies `next` to a value, synchronously if the value is known. */
export function soon<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

export interface Line {
  /** Maximum number of waiting tasks. */
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
 * Limits the number of concurrent tasks. Other tasks wait in a queue with a maximum length. Tasks with a lower rank run first.
 * If the queue is full, a new task with a lower rank replaces the last task in the queue.
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

  /** @throws the result of `refusal`, if the queue is full or the wait was too long */
  async run<Result>(work: () => Promise<Result>, rank = 0): Promise<Result> {
    if (this.running < this.atOnce) this.running++;
    else await this.wait(rank);
    try {
      return await work();
    } finally {
      // The slot goes directly to the next waiting task, so that no new task takes it first.
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
  /** Returns the lane of an item. Lanes never share a batch, so a slow lane does not delay the other lanes. */
  readonly laneOf?: (item: Item) => string;
  /** Maximum number of concurrent batches, each of a different lane; default 1. */
  readonly maxRunning?: number;
  /** After this time, a running batch no longer blocks its lane, for example if its connection hangs; default no limit. */
  readonly patienceMs?: number;
  /** Minimum time between the starts of two batches, for work that is cheaper in large batches; default 0. */
  readonly restMs?: number;
}

/**
 * Collects the items that arrive while a batch runs, and handles them as the next batch. If no batch is running, a batch starts
 * after the current turn of the event loop. So items that arrive together share a batch, and no timer delays them. Under load,
 * a batch has up to `maxBatch` items.
 */
export class MicroBatcher<Item, Result> {
  /** Waiting items by lane. The lane that has waited longest is first. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();
  /** Running batch of each lane. */
  private readonly running = new Map<string, readonly Waiting<Item, Result>[]>();
  /** All batches without a result, including those that no longer block their lane. */
  private readonly underWay = new Set<readonly Waiting<Item, Result>[]>();
  private size = 0;
  private starts = false;
  private startedAt = -Infinity;

  constructor(
    /**
     * Handles a batch and returns one result per item, in the same order. If the batch fails, each item is tried again alone.
     */
    private readonly handle: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly limits: Limits<Item>,
  ) {}

  /** Returns the age of the oldest item without a result, in milliseconds; 0 without items. */
  get oldestMs(): number {
    let oldest = Infinity;
    for (const items of [...this.waiting.values(), ...this.underWay])
      oldest = Math.min(oldest, items[0]?.since ?? Infinity);
    return oldest === Infinity ? 0 : performance.now() - oldest;
  }

  /** @throws UnavailableError if too many items are waiting */
  async add(item: Item): Promise<Result> {
    if (this.size >= this.limits.maxWaiting)
      throw new UnavailableError('OVERLOADED', 'Too many donations at the moment; send this one again', 1);
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
    // Moves the rest of this lane behind the other lanes.
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
      // One bad item must not make the others fail, so each item is tried alone. After a lost connection, all items fail
      // instead: the batch may have been committed, and only the senders can retry safely with their keys.
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.settle([waiting]);
    }
  }
}

/** Returns the age of the oldest waiting item, in milliseconds. */
type Age = () => number;

/** Ages of background work, for health probes and metrics. Each queue registers a function that returns its age. */
@Injectable()
export class Backlogs {
  private readonly ages = new Map<string, Age>();

  /** Registers a queue. Call this function once for each name, when the application is created. */
  register(name: string, age: Age): void {
    this.ages.set(name, age);
  }

  /** Returns the name and the age in milliseconds of each queue. */
  read(): [name: string, ageMs: number][] {
    return [...this.ages].map(([name, age]) => [name, age()]);
  }
}
