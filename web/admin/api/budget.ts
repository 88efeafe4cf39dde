/*
 * The server limits the requests per minute of one sign-in, over all of its tabs. Each answer says how many are
 * left. Automatic requests of the dashboard use only a part of the limit, so that the person always has requests
 * left.
 */

/** Part of the limit reserved for actions of the person. */
const FOR_PEOPLE = 0.4;
/** Number of lists that are refreshed at the same time when donations arrive. */
const LISTS = 3;

interface Budget {
  /** Requests per window, and how many are left in this one. */
  readonly limit: number;
  readonly remaining: number;
  /** Read from the monotonic clock, because the system clock may be corrected meanwhile. */
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

/** Milliseconds between two readings of such a list, so that the rest of the limit lasts until the next window. */
export function readingPace(): number {
  const rest = budget ? budget.resetsAt - performance.now() : 0;
  if (!budget || rest <= 0) return 0;
  const spare = budget.remaining - budget.limit * FOR_PEOPLE;
  return spare < LISTS ? rest : (rest * LISTS) / spare;
}
