/** A counter of one key in one window. */
export interface Window {
  hits: number;
  /** By `performance.now()`: the clock of the system may be set back, and would then hold a window open. */
  readonly endsAt: number;
}

/**
 * Counters in windows that start with the first hit, in the memory of the process. Beyond `max` keys of one length
 * of window those that started first are forgotten, and the ones that are over go first.
 */
export class Windows {
  /** By length; each in the order in which its windows began, which is that of their ends. */
  private readonly byLength = new Map<number, Map<string, Window>>();

  constructor(private readonly max: number) {}

  add(key: string, hits: number, windowMs: number): Window {
    let windows = this.byLength.get(windowMs);
    if (!windows) this.byLength.set(windowMs, (windows = new Map<string, Window>()));
    const now = performance.now();
    const present = windows.get(key);
    if (present && present.endsAt > now) {
      present.hits += hits;
      return present;
    }
    // Behind all others, where the newest stand.
    if (present) windows.delete(key);
    const started = { hits, endsAt: now + windowMs };
    windows.set(key, started);
    this.tidy(windows, now);
    return started;
  }

  read(key: string): Window | undefined {
    const now = performance.now();
    for (const windows of this.byLength.values()) {
      const found = windows.get(key);
      if (found && found.endsAt > now) return found;
    }
    return undefined;
  }

  forget(key: string): void {
    for (const windows of this.byLength.values()) windows.delete(key);
  }

  /** Two for each new one: what is over is gone as fast as new ones come. */
  private tidy(windows: Map<string, Window>, now: number): void {
    let looked = 0;
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= this.max) return;
      windows.delete(key);
      if (++looked === 2) return;
    }
  }
}
