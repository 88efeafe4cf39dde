// Operator commands use the existing build and never rebuild it, because a running server uses the same files. A service user
// also has no permission to write them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = (file) => join(root, 'dist', file);

/** Imports a module of `dist/`. If there is no build but the sources exist, builds first. */
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
  // Writes to stderr, because another program may read the output of the command.
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
