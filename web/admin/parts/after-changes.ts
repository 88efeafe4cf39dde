import { useEffect, useRef } from 'preact/hooks';
import { readingPace } from '../api/budget.js';
import { whenSeen } from '../when-seen.js';

const SOON_MS = 250;

interface State {
  waits: boolean;
  /** Time of the last refresh, by the monotonic clock. */
  readAt: number;
  stop: (() => void) | undefined;
}

/**
 * Refreshes data after the server announced changes: soon after the first change, at most once per `every`
 * milliseconds, within the rate limit, and only while the page is visible.
 */
export function useAfterChanges(changes: number, every: number, read: () => void): void {
  const latest = useRef(read);
  latest.current = read;
  const state = useRef<State>({ waits: false, readAt: -Infinity, stop: undefined });
  useEffect(() => {
    const now = state.current;
    if (changes === 0 || now.waits) return;
    const pace = Math.max(every, readingPace());
    const timer = setTimeout(
      () => {
        now.stop = whenSeen(() => {
          now.waits = false;
          now.readAt = performance.now();
          latest.current();
        });
      },
      Math.max(SOON_MS, now.readAt + pace - performance.now()),
    );
    now.waits = true;
    now.stop = () => clearTimeout(timer);
  }, [changes]);
  useEffect(() => () => state.current.stop?.(), []);
}
