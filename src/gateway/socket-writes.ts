import type { Socket as Connection } from 'node:net';
import { holdForThisTurn, isHeld } from './held-writes.js';
import type { ForOne } from './live-messages.js';
import type { LiveSocket } from './live-socket.js';

/** Several messages, encoded once for all the sockets that get them. */
export interface MessageBundle {
  /** One Socket.IO packet each. */
  readonly packets: readonly string[];
  /** All of them as the bytes of that many websocket frames. */
  readonly frames: Buffer;
}

export function bundle(messages: readonly ForOne[]): MessageBundle {
  // Socket.IO's encoding of an event in the namespace `/`: packet type 2, then the arguments.
  const packets = messages.map((message) => `2${JSON.stringify(message)}`);
  return { packets, frames: Buffer.concat(packets.map(frameOf)) };
}

/**
 * Sends a bundle to one socket, in order with everything else that is sent to it.
 *
 * A websocket gets all frames in one write. Where nothing waits for it they go straight to its connection, past the
 * queues and events of Engine.IO and `ws`: with thousands of sockets in a room that is nearly all the work there is.
 */
export function sendBundle(socket: LiveSocket, { packets, frames }: MessageBundle): void {
  const { conn } = socket;
  const [first] = packets;
  if (first === undefined) return;
  const connection = readyConnection(conn);
  if (connection) connection.write(frames);
  // While a transport is changed, and on long polling, each message goes by itself.
  else if (packets.length > 1 && conn.transport.name === 'websocket' && !conn.upgrading)
    conn.write(first, { compress: false, wsPreEncodedFrame: [frames] } as PreEncoded);
  else for (const packet of packets) conn.write(packet, { compress: false });
}

/**
 * What is sent to a socket from now on leaves in one write, in its order, at the end of this turn of the event loop. What
 * waits for the connection already is not held: it is sent by Engine.IO, which keeps the order.
 */
export function holdWrites({ conn }: LiveSocket): void {
  const connection = readyConnection(conn);
  if (connection) holdForThisTurn(connection);
}

/**
 * A middleware, the last one: the answer to a join that came with the connection leaves in one write with Socket.IO's
 * own answer, where it can be given at once.
 */
export function answerInOneWrite(socket: LiveSocket, next: () => void): void {
  if (socket.handshake.auth.joinEvent !== undefined) holdWrites(socket);
  next();
}

/** What Engine.IO and `ws` keep to themselves: what waits for a transport, and the connection under a websocket. */
interface Inner {
  readonly writeBuffer?: readonly unknown[];
  readonly transport: { readonly socket?: { readonly _socket?: Connection | null } };
}

/**
 * The connection under a websocket, when it has been given all that was sent before: nothing waits above it, and in it only
 * what is held for this turn.
 */
function readyConnection(conn: LiveSocket['conn']): Connection | undefined {
  const { readyState, upgrading, transport } = conn;
  if (readyState !== 'open' || upgrading || transport.name !== 'websocket') return undefined;
  const inner = conn as unknown as Inner;
  const connection = inner.transport.socket?._socket;
  if (!connection || inner.writeBuffer?.length !== 0) return undefined;
  const isIdle = transport.writable && connection.writableLength === 0;
  return isIdle || isHeld(connection) ? connection : undefined;
}

/** What Engine.IO calls a frame that is ready to be written; Socket.IO's own broadcasts use it, too. */
interface PreEncoded {
  compress: boolean;
  wsPreEncodedFrame: readonly Buffer[];
}

/** Engine.IO's packet type "message" and the text, as an unmasked text frame of RFC 6455. */
function frameOf(packet: string): Buffer {
  const payload = Buffer.from(`4${packet}`);
  return Buffer.concat([headerOf(payload.length), payload]);
}

const FINAL_TEXT = 0x81;

function headerOf(length: number): Buffer {
  if (length < 126) return Buffer.from([FINAL_TEXT, length]);
  if (length < 65_536) return Buffer.from([FINAL_TEXT, 126, length >> 8, length & 0xff]);
  const header = Buffer.alloc(10);
  header.set([FINAL_TEXT, 127]);
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
