import { createAdapter } from '@socket.io/redis-adapter';
import type { RedisService } from '../redis/redis.service.js';

type Names = string | readonly string[];

const ignore = (): void => undefined;

/**
 * Shares rooms between instances through Redis. While Redis is down, messages still reach the sockets of this instance. Sockets
 * of other instances notice the gap in the sequence and ask for the missing messages.
 *
 * This wrapper is needed because the adapter does not await its commands. Without the wrapper, each error of Redis would be an
 * unhandled rejection and end the process. The adapter also subscribes only once, at the start, when the connection may not be
 * ready.
 */
export function redisRooms(redis: RedisService): ReturnType<typeof createAdapter> {
  const [out, into] = [redis.connect('rooms-out'), redis.connect('rooms-in')];
  const subscribed: { command: 'subscribe' | 'psubscribe'; names: readonly string[] }[] = [];
  const send = ({ command, names }: (typeof subscribed)[number]): void => {
    if (into.status === 'ready') into[command](...names).catch(ignore);
  };
  into.on('ready', () => {
    for (const subscription of subscribed) send(subscription);
  });
  const subscribe = (command: 'subscribe' | 'psubscribe') => (names: Names) => {
    const subscription = { command, names: [names].flat() };
    subscribed.push(subscription);
    send(subscription);
  };
  const publisher = {
    publish: (channel: string, message: string | Uint8Array) => {
      out.publish(channel, Buffer.from(message)).catch(ignore);
    },
    on: out.on.bind(out),
    off: out.off.bind(out),
  };
  // A call to unsubscribe does nothing. The subscriptions end with the connections, when the application stops.
  const subscriber = {
    subscribe: subscribe('subscribe'),
    psubscribe: subscribe('psubscribe'),
    unsubscribe: ignore,
    punsubscribe: ignore,
    on: into.on.bind(into),
    off: into.off.bind(into),
  };
  return createAdapter(publisher, subscriber, { key: redis.nameOf('rooms') });
}
