import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caches.js';

/**
 * Wakes the relay after a commit, and says that what was read of these events is overtaken. Raised after the commit, never inside the transaction:
 * NOTIFY inside one would make all commits of the database queue behind each other.
 */
@Injectable()
export class OutboxSignal {
  private readonly listeners = new Set<() => void>();

  constructor(private readonly changes: CommittedChanges) {}

  /** Cheap; may be called for every donation. */
  raise(...events: readonly string[]): void {
    for (const event of events) this.changes.announce(event);
    for (const listener of this.listeners) listener();
  }

  onRaise(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
