// Builds the service, the sandbox and the pages, unless dist/ was made from the current files. `npm run build`, `npm test`,
// `npm run check` and the benches run it. `npm run build -- --force` always builds.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const stamp = join(root, 'dist/.built-from');

const SOURCES = ['src', 'sandbox', 'web', 'assets', 'prisma', 'scripts'];
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  '.swcrc',
];
const RESULTS = ['dist/main.js', 'dist/server/start.js', 'dist/web/manifest.json', 'dist-sandbox/main.js'];

const STEPS = [
  [binary(require.resolve('@nestjs/cli/package.json'), 'nest'), 'build'],
  ['scripts/bundle.mjs'],
  [
    binary(require.resolve('@swc/cli/package.json'), 'swc'),
    'sandbox',
    '--out-dir',
    'dist-sandbox',
    '--strip-leading-paths',
    '--config-file',
    '.swcrc',
    '--quiet',
  ],
  ['scripts/build-web.mjs'],
];

function binary(manifest, command) {
  return join(dirname(manifest), require(manifest).bin[command]);
}

/** Returns a digest of file names and contents. Modification times change with a clone or a switch of branches. */
function digest() {
  const hash = createHash('sha256');
  // Some checkouts lack a few of these files, for example the build stage of an image.
  const isThere = (name) => existsSync(join(root, name));
  const files = SOURCES.filter(isThere).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files.sort(), ...SETTINGS.filter(isThere).map((name) => join(root, name))])
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run(['scripts/generate-client.mjs']);
const madeFrom = digest();
const isUpToDate =
  RESULTS.every((name) => existsSync(join(root, name))) &&
  existsSync(stamp) &&
  readFileSync(stamp, 'utf8') === madeFrom;
if (!isUpToDate || process.argv.includes('--force')) {
  rmSync(stamp, { force: true });
  for (const step of STEPS) run(step);
  writeFileSync(stamp, madeFrom);
}
