/*
 * The service takes so many requests a minute of one sign-in, over all of its tabs, and says with each answer how many
 * are left. What the desk reads by itself keeps to a part of them, so that the busiest minute of an evening uses up none
 * that the person in front of it needs.
 */

/** The part that is left to what people press. */
const FOR_PEOPLE = 0.4;
/** The lists that are read again as donations come, at the same time. */
const LISTS = 3;

interface Budget {
  /** Requests in a window, and those that are left of it. */
  readonly limit: number;
  readonly remaining: number;
  /** By the steady clock: the other one may be set right meanwhile. */
  readonly resetsAt: number;
}

let budget: Budget | undefined;

/** Takes note of what an answer says: `RateLimit` and `RateLimit-Policy`, of which the scope `default` is over everything. */
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

/** Milliseconds from one reading of such a list to the next that let what is left last until there are more. */
export function readingPace(): number {
  const rest = budget ? budget.resetsAt - performance.now() : 0;
  if (!budget || rest <= 0) return 0;
  const spare = budget.remaining - budget.limit * FOR_PEOPLE;
  return spare < LISTS ? rest : (rest * LISTS) / spare;
}
