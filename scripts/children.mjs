// Starts child processes that end together with this process.
import { spawn } from 'node:child_process';

const STOP_TIMEOUT_MS = 15_000;

/**
 * Makes sure that a child gets `signal` even if this process is killed. A shell reads from a pipe of this
 * process. The pipe closes when this process ends, and the shell then sends the signal.
 *
 * @returns {() => void} stops the shell without a signal to the child; called automatically when the child
 * exits
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
 * Starts a Node program in a separate process group: Ctrl-C goes to the whole group of the terminal, but these programs must
 * stop in order.
 *
 * @returns {{ child: import('node:child_process').ChildProcess, exited: Promise<string>, stop(): Promise<void> }}
 * `exited` resolves to the exit code or signal
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
