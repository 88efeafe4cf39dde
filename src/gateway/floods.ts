import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { TokenBucket } from '../common/concurrency/token-bucket.js';

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

/** Counts what Engine.IO never sees: pings, pongs, and all that comes before its handshake is done. */
class CountedWebSocket extends WebSocket {
  private readonly patience = new TokenBucket(PACKETS.burst, PACKETS.perSecond);
  /** Hardly any connection has one. */
  private controls: TokenBucket | undefined;

  /** In place of listeners, of which each connection would need its own. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'message') this.count(this.patience);
    if (event === 'ping' || event === 'pong') {
      this.controls ??= new TokenBucket(CONTROLS.burst, CONTROLS.perSecond);
      this.count(this.controls);
    }
    // What came in the same piece of the network's comes still.
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
  }

  /**
   * Engine.IO would add headers of its middlewares to each acceptance. There are none, and what it takes off the request
   * for that leaves it as a dictionary, slow and large.
   */
  override on(...asked: Parameters<WebSocketServer['on']>): this {
    return asked[0] === 'headers' ? this : super.on(...asked);
  }
}
