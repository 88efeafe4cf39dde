// The hot paths at ten thousand, a million and ten million donations, with 1, 8, 64 and 512 clients, each beside the least that
// could do the same (`../run.mjs`). Writes one JSON, which `draw.mjs` draws.
//   node bench/growth/run.mjs growth.json [sizes, 10000,1000000,10000000]
// With GROWTH_DATABASES (`1000000=postgresql://…,…`) these are used instead of being filled, and stay. `BENCH_…` as in ../README.md.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openSetting } from '../setting.mjs';
import { fillBooks } from './fill.mjs';

const [out, sizes = '10000,1000000,10000000'] = process.argv.slice(2);
if (!out) throw new Error('Where to? node bench/growth/run.mjs growth.json');
const there = new Map((process.env.GROWTH_DATABASES ?? '').split(',').map((pair) => pair.split(/=(.*)/s, 2)));

const runs = [];
for (const size of sizes.split(',')) {
  console.log(`${size} donations`);
  if (there.has(size)) runs.push(await measure(size, there.get(size)));
  else runs.push(await filled(Number(size), (url) => measure(size, url)));
  writeFileSync(out, `${JSON.stringify(runs, null, 2)}\n`);
}

/** Does something with a database of that many donations, which is gone afterwards. */
async function filled(donations, work) {
  const setting = await openSetting();
  try {
    const client = new pg.Client({ connectionString: setting.databaseUrl });
    await client.connect();
    await fillBooks(client, donations, { say: console.error });
    await client.end();
    return await work(setting.databaseUrl);
  } finally {
    await setting.close();
  }
}

async function measure(donations, databaseUrl) {
  const folder = mkdtempSync(join(tmpdir(), 'donations-growth-'));
  try {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../run.mjs', import.meta.url))], {
      env: {
        BENCH_CLIENTS: '1,8,64,512',
        BENCH_SECONDS: '1',
        BENCH_ROUNDS: '3',
        ...process.env,
        BENCH_STARTS: '0',
        BENCH_FILLED: databaseUrl,
        BENCH_DONATIONS: donations,
        BENCH_OUT: join(folder, 'bench.json'),
      },
      stdio: 'inherit',
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`the bench ended with ${code}`);
    return JSON.parse(readFileSync(join(folder, 'bench.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
