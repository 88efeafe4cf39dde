import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { clientAddress, Networks } from './client-address.js';
import type { AppConfig } from '../../config/app-config.js';

/**
 * Maximum number of unanswered requests per connection. Browsers and proxies wait for each answer. A client that sends
 * thousands of requests at once would use all time and memory.
 */
const MOST_UNANSWERED = 32;

/** Minimum time between log lines, because a client with many addresses could fill the log. */
const LINE_EVERY_MS = 60_000;

export interface Connection {
  /** Start of the connection, from `performance.now()`. */
  readonly since: number;
  readonly unanswered: ReadonlySet<ServerResponse>;
}

interface Kept extends Connection {
  readonly unanswered: Set<ServerResponse>;
  /** Listener on responses that removes an answered request. */
  readonly answered: (this: ServerResponse) => void;
}

/** Tracks the connections of a server with their unanswered requests. Limits the number of connections per address. */
export class Connections {
  private readonly logger = new Logger(Connections.name);
  private readonly open = new Map<Socket, Kept>();
  private readonly perAddress = new Map<string, number>();
  private lineAt = -Infinity;

  /** @param mostOf returns the maximum number of connections for an address */
  constructor(server: Server, mostOf: (ip: string | undefined) => number) {
    server.on('connection', (socket) => {
      // The connection is already known: `serveOtherUpgrades` reads its first request a second time.
      if (this.open.has(socket)) return;
      if (!this.enter(socket, mostOf(socket.remoteAddress))) {
        socket.destroy();
        return;
      }
      const unanswered = new Set<ServerResponse>();
      const answered = function (this: ServerResponse): void {
        unanswered.delete(this);
      };
      this.open.set(socket, { since: performance.now(), unanswered, answered });
      socket.once('close', () => this.open.delete(socket));
    });
  }

  private enter(socket: Socket, most: number): boolean {
    const address = clientAddress(socket.remoteAddress);
    const present = this.perAddress.get(address) ?? 0;
    if (present >= most) {
      this.warn(address, most);
      return false;
    }
    this.perAddress.set(address, present + 1);
    socket.once('close', () => {
      const left = (this.perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.perAddress.set(address, left);
      else this.perAddress.delete(address);
    });
    return true;
  }

  private warn(address: string, most: number): void {
    if (performance.now() - this.lineAt < LINE_EVERY_MS) return;
    this.lineAt = performance.now();
    this.logger.warn({
      msg: 'One address reached its connection limit. If it is the network of a venue, set TRUSTED_NETWORKS. If it is a proxy, set TRUST_PROXY',
      address,
      most,
    });
  }

  all(): IterableIterator<[Socket, Connection]> {
    return this.open.entries();
  }

  /** True if a request on the connection is unanswered. */
  isWaiting(socket: Socket): boolean {
    return (this.open.get(socket)?.unanswered.size ?? 0) > 0;
  }

  /** True if a part of an answer was already sent. */
  isAnswering(socket: Socket): boolean {
    const [first] = this.open.get(socket)?.unanswered ?? [];
    return first?.headersSent === true;
  }

  /**
   * True if a quiet connection can be closed: its client does not read, or all its requests are answered. If an answer is slow,
   * the connection stays open, because the client is not the cause.
   */
  isSilent(socket: Socket): boolean {
    return socket.writableLength > 0 || !this.isWaiting(socket);
  }

  /** Counts a request until it is answered. Returns false if the connection of the request is closed. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const kept = this.open.get(socket);
    // Node still parses requests that arrived in the same network packet before the connection was closed.
    if (!kept || socket.destroyed) return false;
    const { unanswered, answered } = kept;
    if (unanswered.size === MOST_UNANSWERED) {
      socket.destroy();
      return false;
    }
    unanswered.add(response);
    response.on('close', answered);
    return true;
  }
}

/** Address ranges for the names that Express accepts in `trust proxy`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

type LimitOf = (ip: string | undefined) => number;

/** Returns the maximum number of connections per client. Clients in the networks of venues have a higher maximum. */
export function clientConnections({ connectionsPerAddress, limits, trustedNetworks }: AppConfig): LimitOf {
  const venues = new Networks(trustedNetworks);
  return (ip) => (venues.includes(ip) ? connectionsPerAddress * limits.trustedFactor : connectionsPerAddress);
}

/**
 * Like `clientConnections`, for the direct peer of a connection. A trusted proxy has no limit, because it has the connections
 * of all its clients.
 */
export function peerConnections(config: AppConfig): LimitOf {
  const { trustProxy } = config;
  // If `TRUST_PROXY` is a number of proxies, the peer is the last of these proxies.
  if (typeof trustProxy === 'number') return () => Infinity;
  const proxies = new Networks(trustProxy === false ? [] : trustProxy.flatMap((one) => NAMED[one] ?? [one]));
  const ofClient = clientConnections(config);
  return (peer) => (proxies.includes(peer) ? Infinity : ofClient(peer));
}
