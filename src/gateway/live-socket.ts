import type { Server, Socket } from 'socket.io';
import type { Principal } from '../common/access/principal.js';
import type { BetweenServers, ClientToServer, ServerToClient } from './live-messages.js';
import type { TokenBucket } from '../common/concurrency/token-bucket.js';

export interface SocketState {
  /** Who the token of the handshake speaks for; absent on a public wall. */
  principal?: Principal;
  requests: TokenBucket;
}

export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketState>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketState>;
