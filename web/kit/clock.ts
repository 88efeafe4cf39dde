/** A clock is off by seconds on every device, and by whole hours on some. */
const TOLERANCE_MS = 60_000;

let aheadMs = 0;

/** Takes note of when the service answered, by its own clock. */
export function noteTime(headers: Pick<Headers, 'get'>): void {
  const there = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(there)) aheadMs = Date.now() - there;
}

/** How far this device's clock is ahead of the service's, as far as it is known; negative where it is behind. */
export const clockAheadMs = (): number => aheadMs;

/** The time of the service, as far as it is known. Milliseconds since 1970. */
export const serverNow = (): number => Date.now() - (Math.abs(aheadMs) > TOLERANCE_MS ? aheadMs : 0);
