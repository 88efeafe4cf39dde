// Makes an installation smaller by what is never run: source maps, type declarations, sources in TypeScript, and
// Prisma's query compilers for other databases. For the image, after `npm ci --omit=dev --omit=optional --omit=peer`:
// node scripts/prune-production.mjs [folder]; the folder has node_modules, dist and package.json.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

// Licences stay: they have to go with what they are for.
const NEVER_RUN = [
  /\.map$/,
  /\.[cm]?ts$/,
  /\.tsbuildinfo$/,
  /^(readme|changelog|history|migration|security)\b.*\.md$/i,
];

const root = resolve(process.argv[2] ?? '.');
const modules = join(root, 'node_modules');
try {
  requireProductionTree();
  const before = sizeOf(modules);
  for (const file of filesBelow(modules)) {
    if (NEVER_RUN.some((pattern) => pattern.test(basename(file)))) rmSync(file);
  }
  prunePrismaRuntime();
  console.log(`node_modules: ${megabytes(before)} MB, pruned to ${megabytes(sizeOf(modules))} MB`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

/** In a checkout this would take the tools away. */
function requireProductionTree() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tools = Object.keys(devDependencies);
  const found = tools.filter((name) => existsSync(join(modules, name)));
  // Some of the tools are also needed by a dependency; a checkout has all of them.
  if (found.length > tools.length / 2) {
    throw new Error(
      `${modules} has development packages (${found[0]} …); this is for an installation without them.`,
    );
  }
}

/** Of the runtime of the Prisma client, what the generated client imports, and what that imports itself. */
function prunePrismaRuntime() {
  const runtime = join(modules, '@prisma/client/runtime');
  const generated = join(root, 'dist/data/generated');
  const wanted = new Set();
  for (const file of filesBelow(generated).filter((name) => name.endsWith('.js'))) {
    const imports = readFileSync(file, 'utf8').matchAll(/@prisma\/client\/runtime\/([\w.-]+)/g);
    for (const [, name] of imports) wanted.add(name.replace(/\.m?js$/, ''));
  }
  if (![...wanted].some((name) => name.startsWith('query_compiler_'))) {
    throw new Error(
      `${relative(root, generated)} does not say which query compiler it needs: is the service built?`,
    );
  }
  for (const name of readdirSync(runtime)) {
    if (!wanted.has(name.replace(/\.m?js$/, ''))) rmSync(join(runtime, name), { recursive: true });
  }
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** As the disk holds it, in bytes. */
function sizeOf(folder) {
  return filesBelow(folder).reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}
