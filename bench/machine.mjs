// Compares this machine with the machine on which the budgets in seconds were set.
import { deflateSync } from 'node:zlib';

/** Time of the work below on that machine (two cores, Node 20.20.2, no other work), in ms. */
const REFERENCE_MS = 17;
const ROUNDS = 7;

/** The kinds of work that the service does most: it builds, writes and reads JSON, and it compresses. */
function work() {
  const rows = Array.from({ length: 4_000 }, (_, number) => ({
    number,
    name: `Donor ${(number * 7_919) % 4_001}`,
    text: 'All the best for the children of the school',
  }));
  for (let time = 0; time < 4; time++)
    JSON.parse(JSON.stringify(rows.toSorted((a, b) => a.name.localeCompare(b.name))));
  deflateSync(JSON.stringify(rows), { level: 6 });
}

/** Returns how many times longer this machine needs; at least 1. Uses the best of several rounds. */
export function slowness() {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}
