/*
 * The server limits the requests per minute of one session, over all of its tabs. Each answer contains the
 * number of remaining requests. Automatic requests of the dashboard use only a part of the limit, so that
 * requests for actions of the person are not refused.
 */

/** Part of the limit reserved for actions of the person. */
const FOR_PEOPLE = 0.4;
/** Number of lists that are refreshed at the same time when donations arrive. */
const LISTS = 3;

interface Budget {
  /** Maximum number of requests in a window, and the remaining number in the current window. */
  readonly limit: number;
  readonly remaining: number;
  /** Time of the monotonic clock, because a correction of the system clock does not change it. */
  readonly resetsAt: number;
}

let budget: Budget | undefined;

/** Reads `RateLimit` and `RateLimit-Policy` of an answer. The scope `default` covers all requests. */
export function noteBudget(headers: Pick<Headers, 'get'>): void {
  const [, limit] = /"default";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  const [, remaining, seconds] = /"default";r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  if (limit === undefined || remaining === undefined) return;
  budget = {
    limit: Number(limit),
    remaining: Number(remaining),
    resetsAt: performance.now() + Number(seconds) * 1_000,
  };
}

/** Milliseconds between two refreshes of a list, so that the remaining requests last until the next window. */
export function readingPace(): number {
  const rest = budget ? budget.resetsAt - performance.now() : 0;
  if (!budget || rest <= 0) return 0;
  const spare = budget.remaining - budget.limit * FOR_PEOPLE;
  return spare < LISTS ? rest : (rest * LISTS) / spare;
}
