/** Runs the work now if the page is visible, otherwise when it becomes visible. Returns a function that cancels it. */
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
