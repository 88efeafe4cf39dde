import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { RedisService } from '../redis/redis.service.js';
import { RoomBroadcaster } from './broadcasts.js';
import type { LiveServer } from './live-messages.js';
import { LiveFeed } from './live-feed.service.js';

const BEAT_MS = 10_000;
/**
 * Interval while Redis is down. The interval is shorter, because only the heartbeat shows walls that messages of other
 * instances are missing.
 */
const BEAT_ALONE_MS = 1_000;

/**
 * Broadcasts the totals and the last sequence to each room of this process every few seconds. So a wall notices that it lost
 * the last message, even if no other message follows.
 */
@Injectable()
export class Heartbeat implements OnModuleDestroy {
  private readonly logger = new Logger(Heartbeat.name);
  private server: LiveServer | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** True if the current timer was set while Redis was down. */
  private alone = false;

  constructor(
    private readonly config: AppConfig,
    private readonly redis: RedisService,
    private readonly feed: LiveFeed,
    private readonly rooms: RoomBroadcaster,
  ) {}

  attach(server: LiveServer): void {
    this.server = server;
    this.schedule();
    // The current timer still has the interval of the other mode. With a new timer, walls do not wait for the end of the old
    // one.
    this.redis.onChange(() => {
      if (this.alone !== this.isAlone()) this.schedule();
    });
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.server = undefined;
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.server) return;
    this.alone = this.isAlone();
    this.timer = setTimeout(() => void this.beat(), this.alone ? BEAT_ALONE_MS : BEAT_MS);
    this.timer.unref();
  }

  private isAlone(): boolean {
    return this.config.redisUrl !== undefined && !this.redis.ready;
  }

  private async beat(): Promise<void> {
    try {
      const events = [...this.rooms.eventsHere()];
      if (events.length > 0)
        for (const totals of await this.feed.readTotals(events))
          if (totals) await this.rooms.broadcastHere(totals.eventId, [['event.totals', totals]]);
    } catch (error) {
      // The error is only logged, because the next heartbeat follows soon.
      this.logger.warn(`Heartbeat could not read the totals: ${(error as Error).message}`);
    } finally {
      this.schedule();
    }
  }
}
