import type { Server, Socket } from 'socket.io';
import type { Principal } from '../common/access/principal.js';
import type { BetweenServers, ClientToServer, ServerToClient } from './live-messages.js';
import type { TokenBucket } from './token-bucket.js';

export interface SocketState {
  /** Who the token of the handshake speaks for; absent on a public wall. */
  principal?: Principal;
  requests: TokenBucket;
}

export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketState>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketState>;

const PREFIX = 'event:';

export const roomOf = (eventId: string): string => `${PREFIX}${eventId}`;

/** The event whose room this is; undefined for a socket's own room. */
export const eventOfRoom = (room: string): string | undefined =>
  room.startsWith(PREFIX) ? room.slice(PREFIX.length) : undefined;
