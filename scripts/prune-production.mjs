// Removes files that an installation never runs: source maps, type declarations, TypeScript sources, and
// Prisma's query compilers for other databases. For the image, after `npm ci --omit=dev --omit=optional --omit=peer`:
// node scripts/prune-production.mjs [folder]; the folder has node_modules, dist and package.json.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

// The licences stay, because they must be delivered with their packages.
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

/** Refuses to run in a checkout: pruning would remove the development tools. */
function requireProductionTree() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tools = Object.keys(devDependencies);
  const found = tools.filter((name) => existsSync(join(modules, name)));
  // An installation may contain a few of these tools, because a package needs them. A checkout has all of them.
  if (found.length > tools.length / 2) {
    throw new Error(
      `${modules} has development packages (${found[0]} …); use this only for an installation without them.`,
    );
  }
}

/**
 * Keeps those files of Prisma's client runtime that the generated client imports, directly or indirectly. Deletes the others.
 */
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
      `${relative(root, generated)} does not name a query compiler; check that the service is built.`,
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

/** Returns the size on disk, in bytes. */
function sizeOf(folder) {
  return filesBelow(folder).reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}
