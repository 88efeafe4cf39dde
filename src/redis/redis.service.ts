import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { AppConfig } from '../config/app-config.js';

/** Pause after a Redis failure. Without it, a Redis that does not answer would slow down every request. */
const LEFT_ALONE_MS = 1_000;
const PROBE_KEPT_MS = 10_000;

/** Returns the reason why Redis refuses writes; undefined if Redis does not answer. */
export function refusalOf(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { message?: string };
  if (message === undefined) return undefined;
  if (/\bOOM\b/.test(message)) return 'is full (maxmemory)';
  if (/\b(READONLY|MISCONF|NOREPLICAS)\b/.test(message)) return 'is read-only';
  return /\b(NOAUTH|NOPERM|WRONGPASS)\b/.test(message) ? 'denies access' : undefined;
}

/** Minimum time between reconnects because of a read-only server. If there is no other server, reconnecting does not help. */
const LEFT_EVERY_MS = 10_000;

/**
 * The connection to Redis, if configured. During an outage, commands fail at once, so that the caller decides how to continue
 * without Redis.
 */
export class RedisService implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisService.name);
  private readonly connections: Redis[] = [];
  private askAgainAt = 0;
  private leftAt = -Infinity;
  private inProcess = false;
  /** Client for commands; undefined without `REDIS_URL`. */
  readonly client: Redis | undefined;

  /** Creates the service. Loads the package of the client only if Redis is configured. */
  static async for(config: AppConfig): Promise<RedisService> {
    const loaded = config.redisUrl ? await import('./redis-connection.js') : undefined;
    return new RedisService(config, loaded?.Redis);
  }

  private constructor(
    private readonly config: AppConfig,
    private readonly Connection: typeof Redis | undefined,
  ) {
    this.client = config.redisUrl ? this.connect('commands') : undefined;
  }

  /**
   * Returns the name of a key or channel with the prefix of this installation, because several installations may share a Redis
   * server.
   */
  nameOf(what: string): string {
    return `donations:${this.config.installation}:${what}`;
  }

  /** Calls the listener when the connection opens, closes, or cannot be reopened. */
  onChange(listener: () => void): void {
    this.client?.on('ready', listener);
    this.client?.on('close', listener);
  }

  /** True if commands can be sent now. */
  get ready(): boolean {
    return this.client?.status === 'ready';
  }

  /**
   * Returns the result of `shared`, or of `local` if Redis is unavailable. Each process then counts separately, which is better
   * than no limit or an outage.
   */
  async run<Result>(
    shared: (client: Redis) => Promise<Result>,
    local: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (!this.client) return await local();
    if (this.ready && performance.now() >= this.askAgainAt) {
      try {
        const result = await shared(this.client);
        this.note(false);
        return result;
      } catch (error) {
        this.askAgainAt = performance.now() + LEFT_ALONE_MS;
        this.note(true, refusalOf(error));
        return await local();
      }
    }
    this.note(true);
    return await local();
  }

  /** Checks with a write whether Redis works. Returns the problem, or undefined. */
  async problem(): Promise<string | undefined> {
    if (!this.client || !this.ready) return 'unreachable';
    try {
      await this.client.set(this.nameOf('health'), '1', 'PX', PROBE_KEPT_MS);
      return undefined;
    } catch (error) {
      return refusalOf(error) ?? 'unreachable';
    }
  }

  private note(inProcess: boolean, refusal = 'is away'): void {
    if (inProcess && !this.inProcess)
      this.logger.warn(`Redis ${refusal}: rate limits are counted in this process`);
    if (!inProcess && this.inProcess) this.logger.log('Rate limits are counted in Redis again');
    this.inProcess = inProcess;
  }

  /** Opens another connection, for a subscriber. The connection closes together with the application. */
  connect(purpose: string): Redis {
    if (!this.config.redisUrl || !this.Connection) throw new Error('REDIS_URL is not set');
    const connection = new this.Connection(this.config.redisUrl, {
      connectionName: `donations-${purpose}`,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 2_000,
      commandTimeout: 2_000,
      retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
      reconnectOnError: ({ message }) => {
        // Searches the whole message, because Redis before version 7 reports the error inside a script error.
        if (message.includes('READONLY')) this.leaveServer();
        return false;
      },
    });
    let down = false;
    connection.on('error', (error: Error) => {
      if (!down) this.logger.warn(`Redis (${purpose}) is unreachable: ${error.message}`);
      down = true;
    });
    connection.on('ready', () => {
      if (down) this.logger.log(`Redis (${purpose}) is back`);
      down = false;
    });
    this.connections.push(connection);
    return connection;
  }

  /**
   * Reconnects after a failover, because all connections lead to the old server. Subscribers would not notice the failover: a
   * replica accepts published messages but sends them only to its own clients.
   */
  private leaveServer(): void {
    const now = performance.now();
    if (now - this.leftAt < LEFT_EVERY_MS) return;
    this.leftAt = now;
    this.logger.warn('Redis is read-only; reconnecting');
    for (const connection of this.connections) connection.disconnect(true);
  }

  onApplicationShutdown(): void {
    for (const connection of this.connections) connection.disconnect();
  }
}
