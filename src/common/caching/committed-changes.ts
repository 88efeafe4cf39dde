import { Injectable } from '@nestjs/common';

/** Subjects of changes: an event's id, or one of these constants. */
export const SETTINGS_CHANGED = 'settings';

type ChangeListener = (subject: string | undefined, isOfTotals: boolean) => void;

/**
 * Announces commits to caches. Commits of this process are announced before the caller gets the answer; commits of other
 * processes as soon as the database reports them.
 */
@Injectable()
export class CommittedChanges {
  private readonly listeners = new Set<ChangeListener>();
  private readonly gapListeners = new Set<() => void>();

  /** Call it after the commit, never inside the transaction: a reader in between would cache the old state. */
  announce(subject: string | undefined): void {
    for (const listener of this.listeners) listener(subject, false);
  }

  /** Like `announce`, for a change of donations: of the event itself, it changes only the totals. */
  announceTotals(eventId: string): void {
    for (const listener of this.listeners) listener(eventId, true);
  }

  /** Announces that the connection was down: changes of unknown subjects may have been missed. */
  announceGap(): void {
    for (const listener of this.gapListeners) listener();
  }

  onChange(listener: ChangeListener): void {
    this.listeners.add(listener);
  }

  onGap(listener: () => void): void {
    this.gapListeners.add(listener);
  }
}
