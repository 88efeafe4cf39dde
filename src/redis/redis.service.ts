import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { AppConfig } from '../config/app-config.js';

/** How long a Redis that failed is left alone, so that a hanging one does not slow every request. */
const LEFT_ALONE_MS = 1_000;
const PROBE_KEPT_MS = 10_000;

/** What a Redis that answers refuses a write for; undefined for one that does not answer. */
function refusalOf(error: unknown): string | undefined {
  const { message } = error as { message?: string };
  if (message === undefined) return undefined;
  if (/\bOOM\b/.test(message)) return 'is full (maxmemory)';
  if (/\b(READONLY|MISCONF|NOREPLICAS)\b/.test(message)) return 'takes no writes';
  return /\b(NOAUTH|NOPERM|WRONGPASS)\b/.test(message) ? 'denies access' : undefined;
}

/** A server that takes no writes is left at most so often: where there is no other one, that does not help. */
const LEFT_EVERY_MS = 10_000;

/**
 * The connection to Redis, where one is configured. Commands fail at once while it is away: whoever uses it
 * decides what to do without it, nobody waits.
 */
export class RedisService implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisService.name);
  private readonly connections: Redis[] = [];
  private askAgainAt = 0;
  private leftAt = -Infinity;
  private inProcess = false;
  /** Undefined without `REDIS_URL`. */
  readonly client: Redis | undefined;

  /** Loads the client's package where there is a Redis, and nothing otherwise. */
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

  /** A key or channel of this installation alone, however many share the server. */
  nameOf(what: string): string {
    return `donations:${this.config.installation}:${what}`;
  }

  /** Calls the listener whenever the connection comes, goes, or could not be made again. */
  onChange(listener: () => void): void {
    this.client?.on('ready', listener);
    this.client?.on('close', listener);
  }

  /** Whether commands can be sent just now. */
  get ready(): boolean {
    return this.client?.status === 'ready';
  }

  /**
   * The result of `shared`, or of `local` where Redis cannot be asked just now: each process then counts and
   * remembers by itself, which is better than no limit and better than no service.
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

  /** Why it cannot be used, found out by a write; undefined where it can. */
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

  /** A further connection, for a subscriber; closed with the application. */
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
        // Before version 7 Redis says so in the middle of what it says about a script.
        if (message.includes('READONLY')) this.leaveServer();
        return false;
      },
    });
    let down = false;
    connection.on('error', (error: Error) => {
      if (!down) this.logger.warn(`Redis (${purpose}) is away: ${error.message}`);
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
   * Another server has taken over from the one that all connections lead to. Rooms notice nothing themselves: a replica takes what
   * is published, and hands it to nobody else.
   */
  private leaveServer(): void {
    const now = performance.now();
    if (now - this.leftAt < LEFT_EVERY_MS) return;
    this.leftAt = now;
    this.logger.warn('Redis takes no writes: connecting anew');
    for (const connection of this.connections) connection.disconnect(true);
  }

  onApplicationShutdown(): void {
    for (const connection of this.connections) connection.disconnect();
  }
}
