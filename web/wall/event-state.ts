const EVERY_MS = 10_000;

/** Follows the status of the event: open, paused, closed, or no longer public. */
export function followState(
  event: string,
  wall: { readonly status: (status: string) => void; readonly end: () => void },
): void {
  const ask = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(`/events/${encodeURIComponent(event)}`);
      if (answer.ok) wall.status(((await answer.json()) as { status: string }).status);
      else if (answer.status === 404) wall.end();
    } catch {
      // Ignores errors, because the live channel already shows a lost network.
    }
  };
  setInterval(() => void ask(), EVERY_MS);
  document.addEventListener('visibilitychange', () => void ask());
}
