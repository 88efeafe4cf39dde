// Fails when a hot path became slower beside the least that could do it: when its ratio of CPU per request is more than
// a third worse than the committed one (`bench/ratios.json`). Ratios, not times: they hold on any machine. CPU, not
// requests per second: it holds on a busy one.
//   npm run bench:guard               measures the hot paths shortly, and those that look worse up to twice more, longer
//   npm run bench:guard -- --write    takes over what was measured
//   node bench/guard.mjs bench.json   compares what `BENCH_OUT=bench.json npm run bench` measured
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RATIOS = new URL('ratios.json', import.meta.url);
const WORSE = 4 / 3;
// Rounds of a second. Whatever else the machine does can only make a round dearer, so the best one of each side counts.
const SHORT = { BENCH_SECONDS: '1', BENCH_ROUNDS: '5', BENCH_WARM_SECONDS: '2' };
const AGAIN = [
  { BENCH_SECONDS: '2', BENCH_ROUNDS: '5', BENCH_WARM_SECONDS: '3' },
  { BENCH_SECONDS: '3', BENCH_ROUNDS: '7', BENCH_WARM_SECONDS: '4' },
];

const options = process.argv.slice(2);
const [file] = options.filter((one) => !one.startsWith('--'));
const measured = file ? ratiosIn(file) : await measure(SHORT);
if (options.includes('--write')) {
  writeFileSync(RATIOS, `${JSON.stringify(measured, null, 2)}\n`);
} else {
  const committed = JSON.parse(readFileSync(RATIOS, 'utf8'));
  let worse = worseThan(committed, measured);
  // Noise does not come back, a slower path does: only what is worse each time is worse.
  for (const longer of file ? [] : AGAIN) {
    if (worse.length === 0) break;
    console.log(`Once more: ${worse.join(', ')}`);
    const again = await measure({ ...longer, BENCH_ONLY: worse.join(',') });
    for (const name of worse) measured[name] = Math.min(measured[name], again[name]);
    worse = worseThan(committed, measured);
  }
  console.table(
    Object.entries(measured).map(([path, cpu]) => ({
      path,
      committed: committed[path],
      measured: cpu,
      verdict: committed[path] === undefined ? 'new' : worse.includes(path) ? 'worse by a third' : 'good',
    })),
  );
  const missing = Object.keys(committed).filter((name) => !(name in measured));
  for (const name of missing) console.error(`${name} was not measured`);
  if (missing.length > 0 || worse.length > 0) process.exitCode = 1;
}

function worseThan(committed, ratios) {
  return Object.keys(ratios).filter((name) => ratios[name] > committed[name] * WORSE);
}

function ratiosIn(json) {
  const { figures } = JSON.parse(readFileSync(json, 'utf8'));
  return Object.fromEntries(
    figures.filter(({ connections }) => connections === 64).map(({ name, leastCpu }) => [name, leastCpu]),
  );
}

/** One run of the bench, without the starts. */
async function measure(environment) {
  const folder = mkdtempSync(join(tmpdir(), 'donations-guard-'));
  const out = join(folder, 'bench.json');
  try {
    const child = spawn(process.execPath, [fileURLToPath(new URL('run.mjs', import.meta.url))], {
      env: {
        ...process.env,
        BENCH_DONATIONS: '20000',
        BENCH_EVENTS: '20',
        BENCH_CLIENTS: '64',
        BENCH_STARTS: '0',
        ...environment,
        BENCH_OUT: out,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`the bench ended with ${code}`);
    return ratiosIn(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
