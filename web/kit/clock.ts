/** Device clocks are wrong by seconds, and some by hours. */
const TOLERANCE_MS = 60_000;

let aheadMs = 0;

/** Stores the time of an answer, by the server's clock. */
export function noteTime(headers: Pick<Headers, 'get'>): void {
  const there = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(there)) aheadMs = Date.now() - there;
}

/** Lead of this device's clock over the server's in milliseconds, if known; negative if it is behind. */
export const clockAheadMs = (): number => aheadMs;

/** The server's time, if known. Milliseconds since 1970. */
export const serverNow = (): number => Date.now() - (Math.abs(aheadMs) > TOLERANCE_MS ? aheadMs : 0);
