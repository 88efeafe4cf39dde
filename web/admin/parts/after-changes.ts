import { useEffect, useRef } from 'preact/hooks';

const SOON_MS = 250;

/** Reads again after what was announced: soon after the first, and never more often than `every`. */
export function useAfterChanges(changes: number, every: number, read: () => void): void {
  const latest = useRef(read);
  latest.current = read;
  const state = useRef({ timer: 0, readAt: 0 });
  useEffect(() => {
    if (changes === 0 || state.current.timer !== 0) return;
    const wait = Math.max(SOON_MS, state.current.readAt + every - Date.now());
    state.current.timer = window.setTimeout(() => {
      state.current = { timer: 0, readAt: Date.now() };
      latest.current();
    }, wait);
  }, [changes]);
  useEffect(() => () => clearTimeout(state.current.timer), []);
}
