/** What has come and was not taken yet, in its order. */
export class Inbox<Item> {
  private readonly items: Item[] = [];
  private waiting: ((item: Item | undefined) => void) | undefined;
  private closed = false;

  put(item: Item): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) waiting(item);
    else this.items.push(item);
  }

  /** The next, once it has come; undefined when nothing more comes. For one taker at a time. */
  async take(): Promise<Item | undefined> {
    const item = this.items.shift();
    if (item !== undefined || this.closed) return item;
    return await new Promise((resolve) => (this.waiting = resolve));
  }

  /** What has come can still be taken. */
  close(): void {
    this.closed = true;
    this.waiting?.(undefined);
    this.waiting = undefined;
  }
}
