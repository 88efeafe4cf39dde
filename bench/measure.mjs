// Measures two programs in short turns, so that other work on the machine affects both.
import { readFileSync } from 'node:fs';
import { drive } from './load.mjs';

/** Returns the fields of /proc/PID/stat after the name: state, parent, … */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the CPU time that all threads of a process have used so far, in ms. */
export function cpuOf(pid) {
  const fields = statOf(pid);
  // The fields contain user and system time in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Like `cpuOf`, for a process and its children, including children that have ended. */
export function cpuOfFamily(pid) {
  const fields = statOf(pid);
  const ended = (Number(fields[13]) + Number(fields[14])) * 10;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + cpuOf(child), cpuOf(pid) + ended);
}

/** Returns the present and the maximum memory of a process in MB. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

/** Sends requests to one program for some seconds. */
export async function load({ url, pid }, request, { seconds, connections }) {
  const before = cpuOf(pid);
  const began = performance.now();
  const { took, refused } = await drive(url, request, { seconds, connections });
  const lasted = (performance.now() - began) / 1_000;
  const cpu = cpuOf(pid) - before;
  if (refused.size > 0)
    throw new Error(`${request.path}: refused with ${JSON.stringify(Object.fromEntries(refused))}`);
  return {
    perSecond: Math.round(took.length / lasted),
    cpuMs: cpu / took.length,
    p99: took[Math.floor((took.length - 1) * 0.99)],
  };
}

/**
 * Runs our service and the bare program in turn; the first round warms up both.
 * @param ours, bare run one round each
 * @param pick `median` or `best` of several rounds
 */
export async function inTurn(ours, bare, { rounds, pick }) {
  const pairs = [];
  for (let number = 0; number <= rounds; number++) {
    const pair = { bare: await bare(), ours: await ours() };
    if (number > 0) pairs.push(pair);
  }
  const side = (name) => ({
    perSecond: pick(pairs.map((pair) => pair[name].perSecond)),
    cpuMs: round(median(pairs.map((pair) => pair[name].cpuMs)), 4),
    p99: round(median(pairs.map((pair) => pair[name].p99)), 1),
  });
  return {
    ours: side('ours'),
    bare: side('bare'),
    /** Requests per second of the service, divided by requests per second of the bare program. */
    ratio: round(pick(pairs.map((pair) => pair.ours.perSecond / pair.bare.perSecond)), 2),
  };
}

export const median = (list) => [...list].sort((a, b) => a - b)[(list.length - 1) >> 1];
/** Returns the best figure of a list in which more is better. */
export const best = (list) => Math.max(...list);

export const round = (value, digits = 0) => Number(value.toFixed(digits));
