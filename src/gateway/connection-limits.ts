import type { Server } from 'socket.io';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { refusedUpgrade } from './engine-requests.js';

/** Packets of one connection, those of its heartbeat and of what no handler sees included. */
const PACKETS = { burst: 500, perSecond: 50 };
/** Pings and pongs of one websocket: browsers send none, a proxy one in a while. */
const CONTROLS = { burst: 50, perSecond: 5 };
/**
 * A message is at most 4 KB, and no browser takes it apart. Pings are answered here, where they are counted: the library
 * answers all of them, and keeps what the other side does not take.
 */
const FRAMES = { maxFragments: 64, autoPong: false };
/** What may wait for one connection; the longest replay fits. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

type Engine = Server['engine'];
export type EngineConnection = Engine['clients'][string];

/** Cuts connections that send more than any client does, or do not read their messages. */
export function limitConnections(engine: Engine): void {
  engine.on('connection', (connection: EngineConnection) => {
    // A websocket has its own count of each message.
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

/** Unread messages are memory of everybody; a client that was cut comes back and asks for what it missed. */
function cutSlowReader(connection: EngineConnection): void {
  let waiting = 0;
  connection.on('packetCreate', ({ data }: { readonly data?: string | Buffer }) => {
    waiting += Buffer.byteLength(data ?? '');
    // No farewell, which would wait in the same queue.
    if (waiting > MAX_WAITING_BYTES) connection.close(true);
  });
  connection.on('drain', () => (waiting = 0));
}

/** Counts what Engine.IO never sees: pings, pongs, and all that comes before its handshake is done. */
class CountedWebSocket extends WebSocket {
  private readonly patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  private readonly controls = new TokenBucket(CONTROLS.burst, CONTROLS.perSecond);

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'message') this.count(this.patience);
    if (event === 'ping' || event === 'pong') this.count(this.controls);
    // Frames of the same TCP segment still arrive after the cut.
    if (event === 'ping' && this.readyState === WebSocket.OPEN) this.pong(values[0]);
    return super.emit(event, ...values);
  }

  private count(bucket: TokenBucket): void {
    if (!bucket.take()) this.terminate();
  }
}

/** Engine.IO's websockets. */
export class CountedWebSockets extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, ...FRAMES, WebSocket: CountedWebSocket });
    this.on('wsClientError', (error, connection) => {
      connection.once('finish', () => connection.destroy());
      connection.end(refusedUpgrade(error.message));
    });
  }
}
