import type { Server } from 'socket.io';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { refusedUpgrade } from './engine-requests.js';

/** Budget of packets for one connection. Heartbeats and packets without a handler are counted too. */
const PACKETS = { burst: 500, perSecond: 50 };
/** Budget of pings and pongs for one websocket. Browsers send none, and proxies send them rarely. */
const CONTROLS = { burst: 50, perSecond: 5 };
/**
 * A message is at most 4 KB, and no browser splits such a message. The automatic pong of the library is off, because it would
 * answer every ping and keep unread answers in memory. `CountedWebSocket` counts and answers the pings.
 */
const FRAMES = { maxFragments: 64, autoPong: false };
/** Maximum unsent bytes of one connection. The longest replay is smaller than this limit. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

type Engine = Server['engine'];
export type EngineConnection = Engine['clients'][string];

/** Closes a connection if its client sends much more than a normal client or does not read its messages. */
export function limitConnections(engine: Engine): void {
  engine.on('connection', (connection: EngineConnection) => {
    // For websockets, `CountedWebSocket` counts the messages.
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

/**
 * Closes the connection of a client that does not read, because its unread messages use memory of the process. The client can
 * reconnect and ask for the missed messages.
 */
function cutSlowReader(connection: EngineConnection): void {
  let waiting = 0;
  connection.on('packetCreate', ({ data }: { readonly data?: string | Buffer }) => {
    waiting += Buffer.byteLength(data ?? '');
    // The connection is closed without a close packet, because the packet would wait behind the unread messages.
    if (waiting > MAX_WAITING_BYTES) connection.close(true);
  });
  connection.on('drain', () => (waiting = 0));
}

/** Also counts frames that Engine.IO does not see: pings, pongs, and all frames before the end of its handshake. */
class CountedWebSocket extends WebSocket {
  private readonly patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  private readonly controls = new TokenBucket(CONTROLS.burst, CONTROLS.perSecond);

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'message') this.count(this.patience);
    if (event === 'ping' || event === 'pong') this.count(this.controls);
    // A ping can arrive after the connection was closed, if it was in the same TCP segment as earlier frames.
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
