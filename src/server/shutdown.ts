import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Connections } from '../common/http/connections.js';
import { connectionsOf } from './prepared-express.adapter.js';

export interface ShutdownTimes {
  /** Time until all connections are cut. Orchestrators kill the process after 30 s. */
  readonly cutAfterMs: number;
  /** Time until the process ends, even if work is still running. */
  readonly exitAfterMs: number;
}

const TIMES: ShutdownTimes = { cutAfterMs: 15_000, exitAfterMs: 20_000 };
const SWEEP_MS = 100;
const SILENT_FOR_MS = 1_000;
const PARENT_CHECK_MS = 500;

/**
 * Ends the process on SIGTERM and SIGINT. The process accepts no new connections, finishes running requests, and then closes
 * everything in order. A second signal ends the process at once.
 * Node's own `close()` waits while a client keeps its connection busy, and ignores a connection on which nothing was ever sent.
 * This class ends both kinds of connections.
 */
export class Shutdown {
  private readonly logger = new Logger('Stop');
  private readonly connections: Connections;
  private stopping = false;

  constructor(
    private readonly app: NestExpressApplication,
    private readonly times: ShutdownTimes = TIMES,
  ) {
    this.connections = connectionsOf(app);
  }

  /** Call this function before the application listens. */
  install(): void {
    const server = this.app.getHttpServer();
    // This listener runs before the application's own listener, because answers must ask the client to close the connection.
    server.prependListener('request', (_request, response) => {
      if (this.stopping) response.shouldKeepAlive = false;
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (this.stopping) process.exit(1);
        void this.stop(signal);
      });
  }

  /**
   * Treats the end of npm as a signal. On a signal, npm ends without forwarding the signal to the processes of a script's
   * shell, so the server would keep running.
   */
  followNpm(): void {
    const [shell, npm] = [process.ppid, parentOf(process.ppid)];
    const timer = setInterval(() => {
      if (process.ppid === shell && parentOf(shell) === npm) return;
      clearInterval(timer);
      if (!this.stopping) void this.stop('the end of npm');
    }, PARENT_CHECK_MS);
    timer.unref();
  }

  private async stop(cause: string): Promise<void> {
    this.stopping = true;
    for (const [, { unanswered }] of this.connections.all())
      for (const answer of unanswered) answer.shouldKeepAlive = false;
    this.logger.log(`Stopping on ${cause}; finishing running requests first`);
    setTimeout(() => {
      this.logger.error(
        `The server did not stop within ${this.times.exitAfterMs / 1000} s; ending the process now`,
      );
      process.exit(1);
    }, this.times.exitAfterMs).unref();
    const server = this.app.getHttpServer();
    const sweep = setInterval(() => {
      this.closeUnused(server);
    }, SWEEP_MS);
    const cut = setTimeout(() => {
      server.closeAllConnections();
      for (const [socket] of this.connections.all()) socket.destroy();
    }, this.times.cutAfterMs);
    let code = 0;
    try {
      await this.app.close();
      this.logger.log('Stopped');
    } catch (error) {
      this.logger.error(`Stopped with an error: ${String((error as Error).stack)}`);
      code = 1;
    }
    clearInterval(sweep);
    clearTimeout(cut);
    process.exit(code);
  }

  private closeUnused(server: Server): void {
    server.closeIdleConnections();
    // Keeps very new connections, because their first request may still arrive.
    const before = performance.now() - SILENT_FOR_MS;
    for (const [socket, { since }] of this.connections.all())
      if (socket.bytesRead === 0 && since < before) socket.destroy();
  }
}

/** Returns the parent of a process, on systems that provide it; otherwise undefined. */
function parentOf(pid: number): number | undefined {
  try {
    // The format is "pid (name) state ppid …". The name may contain spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
