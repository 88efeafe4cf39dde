import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { TokenBucket } from './token-bucket.js';

/** Packets of one connection, those of its heartbeat and of what no handler sees included. */
const PACKETS = { burst: 500, perSecond: 50 };
/** Pings and pongs of one websocket: browsers send none, a proxy one in a while. */
const CONTROLS = { burst: 50, perSecond: 5 };
/**
 * A message is at most 4 KB, and no browser takes it apart. Pings are answered here, where they are counted: the library
 * answers all of them, and keeps what the other side does not take.
 */
const FRAMES = { maxFragments: 64, autoPong: false };

export interface EngineConnection {
  on(event: 'packet', listener: () => void): void;
  close(discard: boolean): void;
}

/** Cuts who sends more than any client does. The gateway's own count sees events alone, of sockets that connected. */
export function cutFloods(connection: EngineConnection): void {
  const patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  connection.on('packet', () => {
    if (!patience.take()) connection.close(true);
  });
}

/** Engine.IO's websockets, with a count of what it never sees: pings, pongs, and all that comes before its handshake is done. */
export class CountedWebSockets extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, ...FRAMES });
  }

  override handleUpgrade(
    request: IncomingMessage,
    connection: Duplex,
    head: Buffer,
    callback: (websocket: WebSocket, request: IncomingMessage) => void,
  ): void {
    super.handleUpgrade(request, connection, head, (websocket, upgraded) => {
      countFrames(websocket);
      callback(websocket, upgraded);
    });
  }
}

function countFrames(websocket: WebSocket): void {
  const cutBeyond = ({ burst, perSecond }: typeof PACKETS) => {
    const patience = new TokenBucket(burst, perSecond);
    return () => {
      if (!patience.take()) websocket.terminate();
    };
  };
  const onControl = cutBeyond(CONTROLS);
  websocket.on('message', cutBeyond(PACKETS));
  websocket.on('pong', onControl);
  websocket.on('ping', (payload) => {
    onControl();
    // What came in the same piece of the network's comes still.
    if (websocket.readyState === WebSocket.OPEN) websocket.pong(payload);
  });
}
