/** Keeps the screen of the device on while the page is visible. */
export function stayAwake(): void {
  document.addEventListener('visibilitychange', () => void lock());
  void lock();
}

async function lock(): Promise<void> {
  try {
    if (!document.hidden) await navigator.wakeLock.request('screen');
  } catch {
    // Browsers offer this only with https, and some do not offer it at all.
  }
}
