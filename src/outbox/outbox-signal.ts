import { Injectable } from '@nestjs/common';

/**
 * Wakes the relay after a commit. Raised after the commit, never inside the transaction:
 * NOTIFY inside one would make all commits of the database queue behind each other.
 */
@Injectable()
export class OutboxSignal {
  private readonly listeners = new Set<() => void>();

  /** Cheap; may be called for every donation. */
  raise(): void {
    for (const listener of this.listeners) listener();
  }

  onRaise(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
