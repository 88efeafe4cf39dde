// A long run of test/contract/fuzz.long.e2e.ts: the same requests, packets and checks, with a new seed in each run. Variables:
// FUZZ_REQUESTS (100 000), FUZZ_SECONDS (an hour) and FUZZ_SEED.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--maxWorkers=1',
    'test/contract/fuzz.long.e2e.ts',
  ],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_REQUESTS: process.env.FUZZ_REQUESTS ?? '100000',
      FUZZ_SECONDS: process.env.FUZZ_SECONDS ?? '3600',
      FUZZ_SEED: process.env.FUZZ_SEED ?? String(Date.now() % 1_000_000_000),
    },
  },
);
process.exitCode = status ?? 1;
