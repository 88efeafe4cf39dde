// Adds optional packages of other platforms to package-lock.json that npm left out.
//
// npm drops an optional package that the current registry does not have (a mirror may have only the binaries of this
// platform). `npm ci` then refuses the lockfile as incomplete, even on this platform. The package names contain the
// platform, so other machines never request them. Run after `npm install`; --check only checks.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../package-lock.json', import.meta.url);
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

const text = readFileSync(FILE, 'utf8');
const lock = JSON.parse(text);
const added = {};
for (const [holder, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = platformOf(name);
    if (!platform || isLocked(holder, name)) continue;
    added[`node_modules/${name}`] = {
      version: range.replace(/^[~^]/, ''),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...platform,
    };
  }
}

const missing = Object.keys(added).map((path) => path.slice('node_modules/'.length));
if (missing.length === 0) process.exit(0);
if (process.argv.includes('--check')) {
  console.error(`package-lock.json lacks ${missing.join(', ')}: run "node scripts/complete-lockfile.mjs".`);
  process.exit(1);
}
const [top, ...rest] = Object.entries(lock.packages);
const sorted = [...rest, ...Object.entries(added)].sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries([top, ...sorted]);
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${missing.length} packages of other platforms added.`);

function isLocked(holder, name) {
  for (let folder = holder; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    if (lock.packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true;
    if (!folder.includes('/node_modules/')) return `node_modules/${name}` in lock.packages;
  }
}

function platformOf(name) {
  const parts = name.split('/').at(-1).split('-');
  const os = SYSTEMS.find((system) => parts.includes(system));
  const cpu = PROCESSORS.find((processor) => parts.includes(processor));
  if (!os || !cpu) return undefined;
  const libc = parts.some((part) => part.startsWith('musl'))
    ? ['musl']
    : parts.some((part) => part.startsWith('gnu'))
      ? ['glibc']
      : undefined;
  return { os: [os], cpu: [cpu], ...(libc && os === 'linux' ? { libc } : {}) };
}
