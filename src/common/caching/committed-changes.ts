import { Injectable } from '@nestjs/common';

/** Subject of a change of the settings. All other subjects are ids of events. */
export const SETTINGS_CHANGED = 'settings';

type ChangeListener = (subject: string | undefined, isOfTotals: boolean) => void;

/**
 * Announces commits to caches. Commits of this process are announced before the caller gets the answer. Commits of other
 * processes are announced as soon as the database reports them.
 */
@Injectable()
export class CommittedChanges {
  private readonly listeners = new Set<ChangeListener>();
  private readonly gapListeners = new Set<() => void>();

  /**
   * Call this function after the commit, never inside the transaction. Otherwise, a concurrent reader could cache the old state
   * after the announcement.
   */
  announce(subject: string | undefined): void {
    for (const listener of this.listeners) listener(subject, false);
  }

  /** Like `announce`, for a change of donations. Such a change affects the event's totals, but not the event itself. */
  announceTotals(eventId: string): void {
    for (const listener of this.listeners) listener(eventId, true);
  }

  /** Announces that the connection was down, so that changes of unknown subjects may have been missed. */
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
