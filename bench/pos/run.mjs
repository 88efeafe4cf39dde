// Records some hundred donations in a real browser while network, server and browser fail at random moments. Compares the
// records that the volunteer saw with the database.
// Variables: POS_RECORDS (300), POS_SEED.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const records = process.env.POS_RECORDS ?? '300';
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--maxWorkers=1',
    'test/pages/pos-queue.e2e.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, POS_RECORDS: records } },
);
if (status === 0) console.log(readFileSync('test/.output/pos-evening.json', 'utf8'));
process.exitCode = status ?? 1;
