import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import type { Connections } from '../common/http/connections.js';

/** A process that uses less of a processor than this only waits: its own looks and the checks of its health take half of it. */
const QUIET_SHARE = 0.02;

const DEFAULTS = {
  lookEveryMs: 5_000,
  /** Nothing is collected before the process was quiet for so many looks. */
  quietLooks: 3,
  /** Milliseconds of processors that the process has used. */
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  collect: collectGarbage,
};

/**
 * Gives back what a start, an export or an evening has left behind, once nothing happens any more. V8 collects by how much is
 * made: a process that makes next to nothing keeps its garbage, and the room for new objects, for as long as it rests.
 *
 * The collection holds the process, for 0.4 s on a busy machine. So it comes once for each quiet time, and never while a
 * request is under way or somebody looks at a live page.
 */
export class SpareMemory {
  private readonly logger = new Logger('Memory');
  private readonly parts: typeof DEFAULTS;
  private livePages = 0;
  private quiet = 0;
  private collected = false;
  private lastCpuMs: number;

  constructor(
    private readonly server: Server,
    private readonly connections: Pick<Connections, 'all'>,
    parts: Partial<typeof DEFAULTS> = {},
  ) {
    this.parts = { ...DEFAULTS, ...parts };
    this.lastCpuMs = this.parts.cpuMs();
  }

  install(): void {
    this.server.prependListener('upgrade', (_request, socket) => {
      this.livePages++;
      socket.once('close', () => this.livePages--);
    });
    setInterval(() => void this.look(), this.parts.lookEveryMs).unref();
  }

  /** What is done at each look. */
  async look(): Promise<void> {
    if (!this.isQuiet()) {
      this.quiet = 0;
      this.collected = false;
      return;
    }
    this.quiet++;
    if (this.collected || this.quiet < this.parts.quietLooks || this.isNeeded()) return;
    this.collected = true;
    const before = process.memoryUsage.rss();
    try {
      await this.parts.collect();
      const now = process.memoryUsage.rss();
      this.logger.debug(`Memory at rest: ${megabytes(now)} MB, before ${megabytes(before)} MB`);
    } catch (error) {
      this.logger.debug(`Memory is not collected at rest: ${(error as Error).message}`);
    }
    // Its own work is no sign of others'.
    this.lastCpuMs = this.parts.cpuMs();
  }

  /** By the processor's time, which counts whatever the process does, and costs no request anything. */
  private isQuiet(): boolean {
    const cpuMs = this.parts.cpuMs();
    const used = cpuMs - this.lastCpuMs;
    this.lastCpuMs = cpuMs;
    return used < QUIET_SHARE * this.parts.lookEveryMs;
  }

  /** Whether somebody waits for an answer, or looks at a page that donations are sent to. */
  private isNeeded(): boolean {
    if (this.livePages > 0) return true;
    for (const [, { unanswered }] of this.connections.all()) if (unanswered.size > 0) return true;
    return false;
  }
}

/** As V8 does it when memory runs out: everything that can go, and the room for new objects, too. */
async function collectGarbage(): Promise<void> {
  // Loaded when it is used, as not every build of Node has it.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
