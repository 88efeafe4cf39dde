/**
 * Runs `work` now if the page is visible. Otherwise runs it when the page becomes visible, and returns a
 * function that cancels this.
 */
export function whenSeen(work: () => void): (() => void) | undefined {
  if (!document.hidden) {
    work();
    return undefined;
  }
  const giveUp = () => document.removeEventListener('visibilitychange', look);
  const look = () => {
    if (document.hidden) return;
    giveUp();
    work();
  };
  document.addEventListener('visibilitychange', look);
  return giveUp;
}
