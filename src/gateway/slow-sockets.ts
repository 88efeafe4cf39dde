import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { LiveServer, LiveSocket } from './live-socket.js';

/** What may wait for one socket; a replay must fit. */
const MAX_WAITING = { packets: 1_024, bytes: 4 * 1024 * 1024 };
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
      if (!isBehind(socket)) continue;
      // Not a farewell, which would wait in the same queue.
      socket.conn.close(true);
      cut++;
    }
    if (cut > 0) this.logger.warn(`Cut ${cut} connections that did not take their messages`);
  }
}

interface WaitingPacket {
  data?: string | Buffer;
  options?: { wsPreEncodedFrame?: readonly Buffer[] };
}

/** Whether too much waits for the transport of this socket. Engine.IO keeps what waits to itself. */
function isBehind(socket: LiveSocket): boolean {
  const { writeBuffer: waiting = [] } = socket.conn as unknown as { writeBuffer?: readonly WaitingPacket[] };
  if (waiting.length > MAX_WAITING.packets) return true;
  let bytes = 0;
  for (const { data, options } of waiting)
    // A batch for a websocket is one packet whose frame holds all its messages.
    bytes += options?.wsPreEncodedFrame?.reduce((sum, frame) => sum + frame.length, 0) ?? data?.length ?? 0;
  return bytes > MAX_WAITING.bytes;
}
