import { Injectable } from '@nestjs/common';

/** What a change was about: an event's id, or one of these. */
export const SETTINGS_CHANGED = 'settings';

type ChangeListener = (subject: string | undefined, isOfTotals: boolean) => void;

/**
 * Announces to those who keep what they read that something else was committed: by this process at once, before whoever
 * asked for the change has his answer; by other processes as soon as the database says so.
 */
@Injectable()
export class CommittedChanges {
  private readonly listeners = new Set<ChangeListener>();
  private readonly gapListeners = new Set<() => void>();

  /** Call it after the commit, never inside the transaction: who reads in between would read what was before. */
  announce(subject: string | undefined): void {
    for (const listener of this.listeners) listener(subject, false);
  }

  /** As `announce`, of a change of donations: of an event itself it changes no more than the totals. */
  announceTotals(eventId: string): void {
    for (const listener of this.listeners) listener(eventId, true);
  }

  /** The database could not announce anything for a while: changes may have been missed, and none is known of. */
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
