// Collects the waits of the clients by kind of request, and their errors: outside the faults, in bursts, and during the faults.
// A wait lasts from the first try to the answer, including all retries.

export const now = () => performance.timeOrigin + performance.now();

export class Figures {
  /** kind → [start, end] of each request */
  #waits = new Map();
  /** [kind, time, name] of each error */
  #errors = [];
  /** Requests that failed although the client retried. */
  uncured = [];

  wait(kind, began, ended) {
    if (!this.#waits.has(kind)) this.#waits.set(kind, []);
    this.#waits.get(kind).push([began, ended]);
  }

  error(kind, name, at = now()) {
    this.#errors.push([kind, at, name]);
  }

  /** Returns a row for each kind. `faults` and `bursts` are lists of [from, to]. */
  rows(faults, bursts) {
    const meets =
      (spans) =>
      ([began, ended]) =>
        spans.some(([from, to]) => began < to && ended > from);
    const inFault = meets(faults);
    const inBurst = meets(bursts);
    return Object.fromEntries(
      [...this.#waits].sort().map(([kind, waits]) => {
        const outside = waits.filter((wait) => !inFault(wait));
        const errors = this.#errors.filter(([of]) => of === kind);
        const inside = errors.filter(([, at]) => inFault([at, at]));
        const [all, burst, fault] = [outside, outside.filter(inBurst), waits.filter(inFault)].map(summary);
        return [
          kind,
          {
            requests: waits.length,
            p50: all.p50,
            p99: all.p99,
            longest: all.longest,
            'burst p99': burst.p99,
            'faults p50': fault.p50,
            'faults p99': fault.p99,
            'faults longest': fault.longest,
            errors: tally(errors.filter((one) => !inside.includes(one))),
            'errors in faults': tally(inside),
          },
        ];
      }),
    );
  }
}

function summary(waits) {
  const took = waits.map(([began, ended]) => ended - began).sort((a, b) => a - b);
  const at = (share) =>
    took.length === 0 ? undefined : Math.round(took[Math.floor((took.length - 1) * share)]);
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

function tally(errors) {
  const counts = new Map();
  for (const [, , name] of errors) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name}: ${count}`).join(', ');
}
