// How everything here is measured: two programs in turn, short, so that whatever else the machine does meets both.
// CPU time per request (user and system of the process, from /proc) stands beside requests per second: it holds on
// a busy machine too.
import { readFileSync } from 'node:fs';
import { drive } from './load.mjs';

/** Milliseconds of CPU that a process has used so far, all its threads together. */
export function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 14 and 15 of the file, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process in MB: what it holds now, and the most it ever held. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

/** One program under load for a while. */
export async function load({ url, pid }, request, { seconds, connections }) {
  const before = cpuOf(pid);
  const began = performance.now();
  const { took, refused } = await drive(url, request, { seconds, connections });
  const lasted = (performance.now() - began) / 1_000;
  const cpu = cpuOf(pid) - before;
  if (refused.size > 0)
    throw new Error(`${request.path}: refused with ${JSON.stringify(Object.fromEntries(refused))}`);
  const quantile = (share) => round(took[Math.floor((took.length - 1) * share)], 1);
  return {
    perSecond: Math.round(took.length / lasted),
    cpuMs: cpu / took.length,
    p50: quantile(0.5),
    p99: quantile(0.99),
  };
}

/**
 * Ours and bare in turn; the first round warms both up.
 * @param ours, bare run one round each
 */
export async function inTurn(ours, bare, rounds) {
  const pairs = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = { bare: await bare(round), ours: await ours(round) };
    if (round > 0) pairs.push(pair);
  }
  const middle = (of) => {
    const sorted = pairs.map(of).sort((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 2)];
  };
  const least = (name) => Math.min(...pairs.map((pair) => pair[name].cpuMs));
  const side = (name) => ({
    perSecond: middle((pair) => pair[name].perSecond),
    cpuMs: round(
      middle((pair) => pair[name].cpuMs),
      4,
    ),
    p50: middle((pair) => pair[name].p50),
    p99: middle((pair) => pair[name].p99),
  });
  return {
    ours: side('ours'),
    bare: side('bare'),
    /** Requests per second, ours by bare: more is better. */
    requests: round(
      middle(({ ours, bare }) => ours.perSecond / bare.perSecond),
      3,
    ),
    /** CPU per request, ours by bare: less is better. */
    cpu: round(
      middle(({ ours, bare }) => ours.cpuMs / bare.cpuMs),
      3,
    ),
    /** The same of the best round of each: whatever else the machine does can only make a round dearer. */
    leastCpu: round(least('ours') / least('bare'), 3),
  };
}

export const round = (value, digits) => Number(value.toFixed(digits));
