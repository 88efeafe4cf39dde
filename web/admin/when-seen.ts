/** Does the work at once where the page is seen, else as soon as it is; answers how to give it up until then. */
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
