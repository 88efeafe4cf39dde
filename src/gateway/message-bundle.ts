import type { LiveSocket } from './live-server.js';
import type { Sendable } from './live-messages.js';

/** Several messages, encoded once for all the sockets that get them. */
export interface MessageBundle {
  /** One Socket.IO packet each. */
  readonly packets: readonly string[];
  /** All of them as the bytes of that many websocket frames. */
  readonly frames: Buffer;
}

export function bundle(messages: readonly Sendable[]): MessageBundle {
  // Socket.IO's encoding of an event in the namespace `/`: packet type 2, then the arguments.
  const packets = messages.map((message) => `2${JSON.stringify(message)}`);
  return { packets, frames: Buffer.concat(packets.map(frameOf)) };
}

/**
 * Sends a bundle to one socket, in order with everything else that is sent to it.
 *
 * A websocket gets it as one packet of Engine.IO that carries all frames: one write instead of one for each
 * message. With thousands of sockets in a room that is nearly all the work there is.
 */
export function sendBundle(socket: LiveSocket, { packets, frames }: MessageBundle): void {
  const { conn } = socket;
  const [first] = packets;
  // While a transport is changed, and on long polling, each message goes by itself.
  if (first !== undefined && packets.length > 1 && conn.transport.name === 'websocket' && !conn.upgrading)
    conn.write(first, { compress: false, wsPreEncodedFrame: [frames] } as PreEncoded);
  else for (const packet of packets) conn.write(packet, { compress: false });
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
