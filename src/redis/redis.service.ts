import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { AppConfig } from '../config/app-config.js';

/**
 * The connection to Redis, where one is configured. Commands fail at once while it is away: whoever uses it
 * decides what to do without it, nobody waits.
 */
@Injectable()
export class RedisService implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisService.name);
  private readonly connections: Redis[] = [];
  /** Undefined without `REDIS_URL`. */
  readonly client: Redis | undefined;

  constructor(private readonly config: AppConfig) {
    this.client = config.redisUrl ? this.connect('commands') : undefined;
  }

  /** Whether commands can be sent just now. */
  get ready(): boolean {
    return this.client?.status === 'ready';
  }

  /** A further connection, for a subscriber; closed with the application. */
  connect(purpose: string): Redis {
    if (!this.config.redisUrl) throw new Error('REDIS_URL is not set');
    const connection = new Redis(this.config.redisUrl, {
      connectionName: `donations-${purpose}`,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 2_000,
      commandTimeout: 2_000,
      retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
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

  onApplicationShutdown(): void {
    for (const connection of this.connections) connection.disconnect();
  }
}
