import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { LiveServer, LiveSocket } from './live-server.js';

/**
 * What may wait for one socket, in packets. A websocket gets a whole batch in one, so that this many are seconds
 * of standing still; on long polling a packet is one message, and a replay must fit.
 */
const MAX_WAITING = { websocket: 100, other: 1_024 };
const LOOK_EVERY_MS = 500;

/**
 * Cuts sockets that do not take what they are sent. What waits for them is memory of everybody; such a client
 * comes back and asks for what it missed.
 */
@Injectable()
export class SlowSockets implements OnModuleDestroy {
  private readonly logger = new Logger(SlowSockets.name);
  private timer: NodeJS.Timeout | undefined;

  attach(server: LiveServer): void {
    this.timer = setInterval(() => {
      this.look(server);
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private look(server: LiveServer): void {
    let cut = 0;
    for (const socket of server.sockets.sockets.values()) {
      const { name } = socket.conn.transport;
      if (waitingFor(socket) <= (name === 'websocket' ? MAX_WAITING.websocket : MAX_WAITING.other)) continue;
      // Not a farewell, which would wait in the same queue.
      socket.conn.close(true);
      cut++;
    }
    if (cut > 0) this.logger.warn(`Cut ${cut} connections that did not take their messages`);
  }
}

/** Packets that the transport has not taken yet. Engine.IO keeps the count to itself. */
const waitingFor = (socket: LiveSocket): number =>
  (socket.conn as unknown as { writeBuffer?: readonly unknown[] }).writeBuffer?.length ?? 0;
