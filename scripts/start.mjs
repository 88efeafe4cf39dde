// `npm start`: the whole service on a bare machine, for a trial and for development. It builds, starts a database (embedded
// unless DATABASE_URL is set), migrates it, starts the payment sandbox and the server, creates a demo event and prints how
// to try it. Ctrl-C ends everything. Production uses `npm run start:prod` instead.
import { spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProgram } from './children.mjs';
import { ensureDemoEvent } from './demo-data.mjs';
import { dataFolder, openDatabase } from './local-database.mjs';
import { portOwner } from './port-owner.mjs';
import { sandboxAddress, sandboxEnvironment, sandboxPort } from './sandbox-environment.mjs';
import { tryItScript, welcome } from './welcome.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const READY_TIMEOUT_MS = 30_000;

/** Started programs, newest first. They are stopped in this order. */
const running = [];
let stopping;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void shutDown(0));
stopWhenNpmIsGone();

try {
  await main();
} catch (error) {
  if (!stopping) {
    console.error(`\n${error instanceof Error ? error.message : error}`);
    await shutDown(1);
  }
}

async function main() {
  if (process.env.NODE_ENV === 'production') {
    throw new Error(
      'npm start uses an embedded database, demo data and the payment sandbox, which must not run in production. ' +
        'Use "npm run build && npm run migrate && npm run start:prod", or docker-compose.yml.',
    );
  }
  const port = Number(process.env.PORT || 3000);
  await requireFreePort(port, 'PORT');
  await requireFreePort(sandboxPort(), 'SANDBOX_PORT');
  const dataDir = dataFolder();
  makeDataFolder(dataDir);

  await build();
  const { applyMigrations } = await import('../dist/data/schema/migrate.js');
  const { ensureAdmin, signIn } = await import('./demo-login.mjs');

  const database = await openDatabase();
  keep('The database', database);
  await applyMigrations(database.url);
  const login = await ensureAdmin(database.url, dataDir);

  const url = `http://127.0.0.1:${port}`;
  const sandboxUrl = sandboxAddress();
  const payments = sandboxEnvironment(dataDir);
  const sandbox = startProgram(join(root, 'dist-sandbox/main.js'), {
    env: {
      ...process.env,
      ...payments,
      SANDBOX_PORT: String(sandboxPort()),
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_CA_FILE: join(dataDir, 'sandbox-ca.pem'),
      // The sandbox stores its payments here. So after another start, an admin can still refund them.
      SANDBOX_DATA_FILE: join(dataDir, 'sandbox.json'),
      STRIPE_WEBHOOK_URL: `${url}/donations/cardprocessor/webhook`,
      PAYPAL_WEBHOOK_URL: `${url}/donations/wallet/webhook`,
    },
    stdout: 'ignore',
  });
  keep('The payment sandbox', sandbox);
  await untilAnswering(sandboxUrl, sandbox);

  const server = startProgram(join(root, 'dist/main.js'), {
    env: {
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
      PUBLIC_URL: url,
      ...process.env,
      ...payments,
      PORT: String(port),
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
    },
  });
  keep('The server', server);
  await untilAnswering(`${url}/health/live`, server);

  const token = await signIn(url, login);
  const demo = token && (await ensureDemoEvent(url, token));
  const script = join(dataDir, 'try-it.sh');
  if (demo) {
    writeFileSync(script, tryItScript({ url, sandboxUrl, demo, login }), { mode: 0o700 });
    chmodSync(script, 0o700);
  }
  console.log(
    welcome({
      url,
      sandboxUrl,
      database,
      login: token ? login : { email: login.email },
      demo,
      script,
      dataDir,
    }),
  );
}

/** Creates the folder for all data of this start. */
function makeDataFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new Error(`DATA_DIR (${folder}) cannot be created or written: set another folder.`);
  }
}

function build() {
  console.log('Building …');
  const child = spawn('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (code) => (code === 0 ? done() : failed(new Error(`The build failed.\n${output}`))));
  });
}

/** Stops all other programs if this program ends without a request to stop. */
function keep(name, part) {
  running.unshift(part);
  void part.exited?.then((how) => {
    if (stopping) return;
    console.error(`${name} ended${how ? ` (${how})` : ''}; stopping.`);
    void shutDown(1);
  });
}

async function shutDown(code) {
  if (stopping) return stopping;
  stopping = (async () => {
    for (const part of running) await part.stop();
    process.exit(code);
  })();
  return stopping;
}

async function untilAnswering(url, program) {
  let ended;
  void program.exited.then((how) => (ended = how));
  for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(50)) {
    if (ended) throw new Error(`The program ended before it answered at ${url} (${ended}).`);
    if (Date.now() > deadline) throw new Error(`There is no answer at ${url}.`);
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
}

function requireFreePort(port, variable) {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', (error) => {
      const owner = portOwner(port);
      const holder = owner
        ? ` by process ${owner.pid} (${owner.command}), maybe left by an earlier start. End it with: kill ${owner.pid}`
        : '';
      const reason = error.code === 'EADDRINUSE' ? `is in use${holder}` : `cannot be used (${error.message})`;
      failed(
        new Error(
          `Port ${port} ${reason}. Choose another one, for example: ${variable}=${port + 1} npm start`,
        ),
      );
    });
    probe.listen(port, process.env.HOST || '127.0.0.1', () => probe.close(done));
  });
}

/** Stops if npm is killed. In this case only the shell between npm and this process gets a signal. */
function stopWhenNpmIsGone() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) void shutDown(0);
  }, 500);
  timer.unref();
}
