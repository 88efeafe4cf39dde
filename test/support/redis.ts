import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describeWithTool, findTool } from './tools.js';

export interface RedisProcess {
  readonly url: string;
  /** Stops Redis at once, like a crash. Its port stays reserved for `restart`. */
  kill(): Promise<void>;
  /** Starts an empty Redis on the same port. */
  restart(): Promise<void>;
  /** Redis stops answering but closes no connection. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Starts a Redis on a free port of 127.0.0.1 that saves nothing on disk. Returns null if Redis is not installed. */
export async function startRedis(): Promise<RedisProcess | null> {
  const program = findTool('redis-server');
  if (program === undefined) return null;
  const port = await freePort();
  let child = await launch(program, port);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `redis://127.0.0.1:${String(port)}`,
    kill,
    restart: async () => {
      await kill();
      child = await launch(program, port);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: kill,
  };
}

/** `describe` if redis-server is installed. Otherwise the tests are skipped, and the report shows this. */
export function describeWithRedis(name: string, tests: () => void): void {
  describeWithTool('redis-server', name, tests);
}

async function launch(program: string, port: number): Promise<ChildProcess> {
  const child = spawn(
    program,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      reject(new Error(`redis-server did not start: ${log}`));
    });
    child.stdout.on('data', (text: Buffer) => {
      log += text.toString();
      if (log.includes('Ready to accept connections')) resolve();
    });
  });
  child.stdout.removeAllListeners('data').resume();
  return child;
}

/** Returns a port on which no program listens at this moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
