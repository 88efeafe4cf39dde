import { UnavailableError } from './errors/domain-errors.js';
import { isUnavailable } from './errors/unavailable.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects what arrives while a batch is under way and handles it as the next batch. A single item goes at
 * once and alone; under load a batch is as large as the load, up to `maxBatch`.
 */
export class MicroBatcher<Item, Result> {
  private readonly queue: Waiting<Item, Result>[] = [];
  private running = false;

  constructor(
    /** Handles a batch; one result for each item, in order. When the batch fails, its items are tried one by one. */
    private readonly handle: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly limits: { readonly maxBatch: number; readonly maxWaiting: number },
  ) {}

  /** @throws UnavailableError when too many are waiting already. */
  async add(item: Item): Promise<Result> {
    if (this.queue.length >= this.limits.maxWaiting)
      throw new UnavailableError('OVERLOADED', 'Too many donations at this moment; send this one again', 1);
    return await new Promise<Result>((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, this.limits.maxBatch);
      await this.settle(batch);
    }
    this.running = false;
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
