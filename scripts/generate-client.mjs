// Generates the Prisma client into src/data/generated if the schema has changed. Works offline: the client is WebAssembly and
// needs no engine, although the CLI requires the name of an engine.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const schema = join(root, 'prisma/schema.prisma');
const output = join(root, 'src/data/generated');
const stamp = join(output, '.made-from');

const require = createRequire(import.meta.url);
const cli = join(dirname(require.resolve('prisma/package.json')), 'build/index.js');
const { version } = require('prisma/package.json');

// Compares digests, because modification times change with a clone or a switch of branches.
const madeFrom = createHash('sha256').update(version).update('\0').update(readFileSync(schema)).digest('hex');
const upToDate =
  existsSync(join(output, 'client.ts')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === madeFrom;

if (!upToDate || process.argv.includes('--force')) {
  rmSync(stamp, { force: true });
  const run = spawnSync(process.execPath, [cli, 'generate', '--schema', schema], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  if (run.status !== 0) {
    process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`);
    process.stderr.write('The Prisma client could not be generated from prisma/schema.prisma.\n');
    process.exit(run.status ?? 1);
  }
  writeFileSync(stamp, madeFrom);
}
