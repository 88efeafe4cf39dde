import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RedisService } from '../../redis/redis.service.js';

const CHANNEL = 'donations:sessions';

/**
 * Carries the end of sessions from process to process over Redis. Without Redis, or while it is away, the
 * others notice at their next look at the database.
 */
@Injectable()
export class SessionNews implements OnModuleInit {
  private listener: (subject: string) => void = () => undefined;

  constructor(private readonly redis: RedisService) {}

  onModuleInit(): void {
    if (!this.redis.client) return;
    const subscriber = this.redis.connect('sessions');
    subscriber.on('ready', () => {
      subscriber.subscribe(CHANNEL).catch(() => undefined);
    });
    subscriber.on('message', (_channel: string, subject: string) => {
      this.listener(subject);
    });
  }

  /** `admin:<id>` or `staff:<id>`; also hears what this process told itself. */
  onMessage(listener: (subject: string) => void): void {
    this.listener = listener;
  }

  tell(subject: string): void {
    if (this.redis.ready) this.redis.client?.publish(CHANNEL, subject).catch(() => undefined);
  }
}
