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
  readonly transport: { readonly name: string };
  on(event: 'packet', listener: () => void): void;
  close(discard: boolean): void;
}

/**
 * Cuts who sends more than any client does by long polling; a websocket has its own count, of each message. The gateway's
 * count sees events alone, of sockets that connected.
 */
export function cutFloods(connection: EngineConnection): void {
  if (connection.transport.name === 'websocket') return;
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

  /**
   * Engine.IO would add headers of its middlewares to each acceptance. There are none, and what it takes off the request
   * for that leaves it as a dictionary, slow and large.
   */
  override on(...asked: Parameters<WebSocketServer['on']>): this {
    return asked[0] === 'headers' ? this : super.on(...asked);
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
  const patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  // Hardly any connection has one.
  let controls: TokenBucket | undefined;
  const onControl = () => {
    controls ??= new TokenBucket(CONTROLS.burst, CONTROLS.perSecond);
    if (!controls.take()) websocket.terminate();
  };
  websocket.on('message', () => {
    if (!patience.take()) websocket.terminate();
  });
  websocket.on('pong', onControl);
  websocket.on('ping', (payload) => {
    onControl();
    // What came in the same piece of the network's comes still.
    if (websocket.readyState === WebSocket.OPEN) websocket.pong(payload);
  });
}
