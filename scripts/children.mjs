// Child processes that never outlive their starter.
import { spawn } from 'node:child_process';

const STOP_TIMEOUT_MS = 15_000;

/**
 * Sends `signal` to a child when this process is killed in a way that leaves it no last word. Until then a shell
 * waits, reading from a pipe that only our end can close.
 *
 * @returns {() => void} ends the watch; called by itself when the child exits
 */
export function guard(child, signal) {
  const watcher = spawn('/bin/sh', ['-c', `read -r _; kill -${signal} "$0"`, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  watcher.stdin.unref();
  const end = () => watcher.kill('SIGKILL');
  child.once('exit', end);
  return end;
}

/**
 * Starts a Node program in a process group of its own: Ctrl-C goes to everything in the terminal's group, and
 * what belongs together has to stop in order.
 *
 * @returns {{ child: import('node:child_process').ChildProcess, exited: Promise<string>, stop(): Promise<void> }}
 *   `exited` tells how it ended
 */
export function startProgram(file, { env, stdout = 'inherit' }) {
  const child = spawn(process.execPath, [file], {
    env,
    detached: true,
    stdio: ['ignore', stdout, 'inherit'],
  });
  guard(child, 'TERM');
  const exited = new Promise((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(signal ?? `exit code ${code}`));
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  return { child, exited, stop };
}
