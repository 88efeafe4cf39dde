// Operator commands use the existing build. A running server uses the same files, so commands never rebuild them; a
// service user may not write to them either.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = (file) => join(root, 'dist', file);

/** Imports a module of `dist/`. It builds first only if there is no build but the sources exist. */
export async function builtModule(file) {
  if (!existsSync(built('main.js'))) build();
  return await import(pathToFileURL(built(file)).href);
}

function build() {
  if (!existsSync(join(root, 'src/main.ts')) || !existsSync(join(root, 'node_modules/@swc/cli'))) {
    throw new Error(
      `The service is not built: ${built('main.js')} is missing. Copy dist/ from where it was built, ` +
        'or run "npm ci && npm run build" in a checkout.',
    );
  }
  // To stderr, because a program may read the command's output.
  console.error('The service is not built yet; building …');
  const run = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (run.status !== 0) {
    throw new Error(
      `The build failed; run "npm run build" as the owner of ${root}.\n${run.stdout ?? ''}${run.stderr ?? ''}`,
    );
  }
}
