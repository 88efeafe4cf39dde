const SECOND = 1_000;
const JITTER = 0.1;
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * SECOND;
/** Statuses whose `Retry-After` is honoured. */
const ASKS_FOR_A_PAUSE = new Set([429, 503]);

/**
 * The wait before the next attempt in milliseconds; undefined if the message has failed.
 * @param attempts number of attempts so far
 * @param random from 0 to 1
 */
export function nextWaitMs(
  waitsMs: readonly number[],
  attempts: number,
  answer: { readonly status: number | null; readonly retryAfterMs: number | null },
  random: number,
): number | undefined {
  const wait = waitsMs[attempts];
  if (wait === undefined) return undefined;
  const asked =
    answer.status !== null && ASKS_FOR_A_PAUSE.has(answer.status) ? (answer.retryAfterMs ?? 0) : 0;
  const own = wait * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(own, Math.min(asked, LONGEST_RETRY_AFTER_MS)));
}

/** Reads the header `Retry-After`: a number of seconds, or a date. Null if it has neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND;
  const time = Date.parse(header);
  return Number.isNaN(time) ? null : Math.max(0, time - now.getTime());
}
