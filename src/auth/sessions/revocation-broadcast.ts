import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RedisService } from '../../redis/redis.service.js';

/**
 * Sends session revocations to the other processes over Redis. Without Redis, the other processes notice a revocation at
 * their next database check.
 */
@Injectable()
export class RevocationBroadcast implements OnModuleInit {
  private listener: (subject: string) => void = () => undefined;

  private readonly channel: string;

  constructor(private readonly redis: RedisService) {
    this.channel = redis.nameOf('sessions');
  }

  onModuleInit(): void {
    if (!this.redis.client) return;
    const subscriber = this.redis.connect('sessions');
    subscriber.on('ready', () => {
      subscriber.subscribe(this.channel).catch(() => undefined);
    });
    subscriber.on('message', (_channel: string, subject: string) => {
      this.listener(subject);
    });
  }

  /** Calls the listener with the subject of every revocation, including those from this process. */
  onMessage(listener: (subject: string) => void): void {
    this.listener = listener;
  }

  publish(subject: string): void {
    if (this.redis.ready) this.redis.client?.publish(this.channel, subject).catch(() => undefined);
  }
}
