// What operators' commands run: the build that is there. A running server uses the same files, so they are never
// built anew under it; and a service user may not write to them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = (file) => join(root, 'dist', file);

/** A module of `dist/`. Built first only where there is no build at all and the sources are there. */
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
  // To stderr: what a command prints may be read by a program.
  console.error('There is no build yet; building …');
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
