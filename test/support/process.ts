import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './redis.js';

// A busy machine starts a server slowly. A broken server ends by itself before this time.
const START_TIMEOUT_MS = 60_000;

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** The output of both streams so far. */
  output(): string;
  /** Sends a signal and waits for the end of the process. Crash tests use `SIGKILL`. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops the process as an operator would. */
  stop(): Promise<void>;
}

/**
 * Starts the built server in its own process on a free port, and waits until it answers. The caller sets `DATABASE_URL`. With
 * `PORT`, a crashed server can start again at the same address.
 */
export async function startServerProcess(
  environment: NodeJS.ProcessEnv,
  program = 'dist/main.js',
): Promise<ServerProcess> {
  const port = environment.PORT ?? String(await freePort());
  const dataDir = mkdtempSync(join(tmpdir(), 'donations-process-'));
  const child = spawn(process.execPath, [resolve(program)], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
      PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
      TRUSTED_NETWORKS: '127.0.0.0/8',
      ...environment,
      PORT: port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    rmSync(dataDir, { recursive: true, force: true });
  };

  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(`${url}/health/live`))) {
    if (hasEnded() || Date.now() > deadline) {
      await kill('SIGKILL');
      throw new Error(`The server did not start:\n${printed}`);
    }
    await sleep(50);
  }
  return { url, child, output: () => printed, kill, stop: () => kill('SIGTERM') };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
