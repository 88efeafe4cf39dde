import type { Server } from 'socket.io';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { refusedUpgrade } from './engine-requests.js';

/** Budget of packets of one connection, including heartbeats and packets without a handler. */
const PACKETS = { burst: 500, perSecond: 50 };
/** Pings and pongs of one websocket. Browsers send none, and a proxy rarely sends one. */
const CONTROLS = { burst: 50, perSecond: 5 };
/**
 * A message is at most 4 KB, and no browser splits it. The library's automatic pong is off: it would answer every
 * ping and buffer unread answers. Pings are counted and answered here.
 */
const FRAMES = { maxFragments: 64, autoPong: false };
/** Maximum unsent bytes of one connection; the longest replay fits. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

type Engine = Server['engine'];
export type EngineConnection = Engine['clients'][string];

/** Closes connections that send more than a normal client or do not read their messages. */
export function limitConnections(engine: Engine): void {
  engine.on('connection', (connection: EngineConnection) => {
    // Websocket messages are counted by CountedWebSocket.
    if (connection.transport.name !== 'websocket') cutFlood(connection);
    cutSlowReader(connection);
  });
}

function cutFlood(connection: EngineConnection): void {
  const patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  connection.on('packet', () => {
    if (!patience.take()) connection.close(true);
  });
}

/** Unread messages use shared memory. A disconnected client reconnects and asks for the messages it missed. */
function cutSlowReader(connection: EngineConnection): void {
  let waiting = 0;
  connection.on('packetCreate', ({ data }: { readonly data?: string | Buffer }) => {
    waiting += Buffer.byteLength(data ?? '');
    // Closed without a close packet, which would wait in the same queue.
    if (waiting > MAX_WAITING_BYTES) connection.close(true);
  });
  connection.on('drain', () => (waiting = 0));
}

/** Counts frames that Engine.IO never sees: pings, pongs and everything before its handshake ends. */
class CountedWebSocket extends WebSocket {
  private readonly patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  private readonly controls = new TokenBucket(CONTROLS.burst, CONTROLS.perSecond);

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'message') this.count(this.patience);
    if (event === 'ping' || event === 'pong') this.count(this.controls);
    // Frames of the same TCP segment still arrive after the connection was closed.
    if (event === 'ping' && this.readyState === WebSocket.OPEN) this.pong(values[0]);
    return super.emit(event, ...values);
  }

  private count(bucket: TokenBucket): void {
    if (!bucket.take()) this.terminate();
  }
}

/** Websocket server for Engine.IO. */
export class CountedWebSockets extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, ...FRAMES, WebSocket: CountedWebSocket });
    this.on('wsClientError', (error, connection) => {
      connection.once('finish', () => connection.destroy());
      connection.end(refusedUpgrade(error.message));
    });
  }
}
