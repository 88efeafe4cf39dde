import { createAdapter } from '@socket.io/redis-adapter';
import type { Redis } from 'ioredis';
import type { RedisService } from '../redis/redis.service.js';

type Adapter = ReturnType<typeof createAdapter>;
type Channels = string | readonly string[];

/**
 * Shares the rooms of all instances through Redis. What cannot be published while it is away still reaches the
 * sockets of this instance; those of others see the gap in the sequence and ask for it.
 */
export function redisRooms(redis: RedisService): Adapter {
  // The adapter knows a client by these few methods; it awaits none of them and so would leave every failure
  // of Redis as an unhandled rejection, which ends the process.
  const [out, into] = [new Publisher(redis.connect('rooms-out')), new Subscriber(redis.connect('rooms-in'))];
  return createAdapter(out, into, { key: redis.nameOf('rooms') });
}

class Publisher {
  constructor(private readonly redis: Redis) {}

  publish(channel: string, message: string | Uint8Array): void {
    this.redis.publish(channel, Buffer.from(message)).catch(() => undefined);
  }

  on(event: string, listener: (...values: unknown[]) => void): void {
    this.redis.on(event, listener);
  }

  off(event: string, listener: (...values: unknown[]) => void): void {
    this.redis.off(event, listener);
  }
}

/** Subscribes whenever the connection is made, also the first time when that comes late. */
class Subscriber {
  private readonly channels = new Set<string>();
  private readonly patterns = new Set<string>();

  constructor(private readonly redis: Redis) {
    redis.on('ready', () => {
      this.send('subscribe', [...this.channels]);
      this.send('psubscribe', [...this.patterns]);
    });
  }

  subscribe(channels: Channels): void {
    for (const channel of [channels].flat()) this.channels.add(channel);
    this.send('subscribe', [channels].flat());
  }

  psubscribe(patterns: Channels): void {
    for (const pattern of [patterns].flat()) this.patterns.add(pattern);
    this.send('psubscribe', [patterns].flat());
  }

  unsubscribe(channels: Channels): void {
    for (const channel of [channels].flat()) this.channels.delete(channel);
    this.send('unsubscribe', [channels].flat());
  }

  punsubscribe(patterns: Channels): void {
    for (const pattern of [patterns].flat()) this.patterns.delete(pattern);
    this.send('punsubscribe', [patterns].flat());
  }

  on(event: string, listener: (...values: unknown[]) => void): void {
    this.redis.on(event, listener);
  }

  off(event: string, listener: (...values: unknown[]) => void): void {
    this.redis.off(event, listener);
  }

  private send(
    command: 'subscribe' | 'psubscribe' | 'unsubscribe' | 'punsubscribe',
    names: readonly string[],
  ): void {
    // Before the connection is ready nothing can be subscribed; then everything is subscribed at once.
    if (names.length === 0 || this.redis.status !== 'ready') return;
    this.redis[command](...names).catch(() => undefined);
  }
}
