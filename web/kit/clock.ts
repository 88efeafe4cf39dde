/** Device clocks are often wrong by seconds, and some by hours. A smaller difference than this is not corrected. */
const TOLERANCE_MS = 60_000;

let aheadMs = 0;

/** Compares the server's time in an answer with the clock of this device, and stores the difference. */
export function noteTime(headers: Pick<Headers, 'get'>): void {
  const there = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(there)) aheadMs = Date.now() - there;
}

/** Time of this device minus the server's time, in milliseconds; 0 if unknown. */
export const clockAheadMs = (): number => aheadMs;

/** The server's time in milliseconds since 1970; this device's time if the server's time is unknown. */
export const serverNow = (): number => Date.now() - (Math.abs(aheadMs) > TOLERANCE_MS ? aheadMs : 0);
