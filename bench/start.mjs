// How long `dist/main.js` takes until it listens, and what it holds when it has nothing to do. Against a Nest
// application without anything in it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, memoryOf, round } from './measure.mjs';

const ROUNDS = Number(process.env.BENCH_STARTS ?? 3);
const IDLE_MS = 4_000;
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Medians over a few starts; the one that counts least is the first, which warms the caches of the disk. */
export async function measureStart(databaseUrl) {
  const starts = [];
  for (let i = 0; i <= ROUNDS; i++) {
    const start = await once(databaseUrl);
    if (i > 0) starts.push(start);
  }
  const middle = (key) =>
    starts.map((start) => start[key]).sort((a, b) => a - b)[Math.floor(starts.length / 2)];
  return {
    readyMs: middle('readyMs'),
    cpuMs: middle('cpuMs'),
    idleMb: middle('idleMb'),
    'CPU ms a second when idle': middle('idleCpu'),
  };
}

async function once(databaseUrl) {
  const began = performance.now();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      DATABASE_URL: databaseUrl,
      JWT_SECRET: 'bench-7Qm2Zx9Lk4Vt1Rb8Nc5Wd3Yf6Hg0Js',
      PIN_SECRET: 'bench-Pz6Xv3Bn9Mq1Lw4Ke7Jr2Ht5Gy8Fu',
      PUBLIC_URL: 'https://give.example.org',
      STRIPE_SECRET_KEY: 'sk_live_bench',
      STRIPE_WEBHOOK_SECRET: 'whsec_bench_Zk3v9Qm1xT7bL5nR2cW8',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
        if (text.includes('Listening on')) resolve();
      });
      child.once('exit', () => reject(new Error(`the service did not start: ${text}`)));
    });
    const readyMs = Math.round(performance.now() - began);
    const cpuMs = cpuOf(child.pid);
    await sleep(IDLE_MS / 2);
    const before = cpuOf(child.pid);
    await sleep(IDLE_MS / 2);
    const idleCpu = round((cpuOf(child.pid) - before) / (IDLE_MS / 2_000), 1);
    return { readyMs, cpuMs, idleMb: memoryOf(child.pid).now, idleCpu };
  } finally {
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.table([await measureStart(process.env.DATABASE_URL)]);
