// Measures the time until `dist/main.js` listens, and its memory when idle.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, memoryOf, round } from './measure.mjs';
import { NODE_OPTIONS, openSetting } from './setting.mjs';

const IDLE_MS = 4_000;
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export async function measureStart({ rounds, pick }, wanted) {
  if (!wanted('start')) return {};
  const setting = await openSetting();
  try {
    // The first start warms up the disk caches.
    await once(setting.databaseUrl);
    const starts = [];
    for (let number = 0; number < rounds; number++) starts.push(await once(setting.databaseUrl));
    return {
      start: {
        seconds: round(-pick(starts.map(({ readyMs }) => -readyMs)) / 1_000, 2),
        'MB idle': median(starts.map(({ idleMb }) => idleMb)),
      },
    };
  } finally {
    await setting.close();
  }
}

async function once(databaseUrl) {
  const began = performance.now();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      NODE_OPTIONS,
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
      child.once('exit', () => reject(new Error(`The service did not start: ${text}`)));
    });
    const readyMs = performance.now() - began;
    await sleep(IDLE_MS);
    return { readyMs, idleMb: memoryOf(child.pid).now };
  } finally {
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}
