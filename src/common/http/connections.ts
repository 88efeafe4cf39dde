import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { clientAddress, Networks } from './client-address.js';
import type { AppConfig } from '../../config/app-config.js';

/**
 * Requests of one connection that wait for their answers. Browsers and proxies wait for each; who sends thousands in one go
 * takes the time and the memory of everybody.
 */
const MOST_UNANSWERED = 32;

/** Whoever has many addresses could fill the log. */
const LINE_EVERY_MS = 60_000;

export interface Connection {
  /** By `performance.now()`. */
  readonly since: number;
  readonly unanswered: ReadonlySet<ServerResponse>;
}

interface Kept extends Connection {
  readonly unanswered: Set<ServerResponse>;
  /** Called as a listener of a response. */
  readonly answered: (this: ServerResponse) => void;
}

/** The connections of a server, each with its requests that are not answered yet; a bounded number for each address. */
export class Connections {
  private readonly logger = new Logger(Connections.name);
  private readonly open = new Map<Socket, Kept>();
  private readonly perAddress = new Map<string, number>();
  private lineAt = -Infinity;

  /** @param mostOf how many the peer with this address may hold */
  constructor(server: Server, mostOf: (ip: string | undefined) => number) {
    server.on('connection', (socket) => {
      // Such a one is read from its beginning again when a request offered another protocol.
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
      msg: 'An address holds as many connections as it may. If it is the network of a hall: TRUSTED_NETWORKS; if it is a proxy: TRUST_PROXY',
      address,
      most,
    });
  }

  all(): IterableIterator<[Socket, Connection]> {
    return this.open.entries();
  }

  /** Whether an answer is still due on the connection. */
  isWaiting(socket: Socket): boolean {
    return (this.open.get(socket)?.unanswered.size ?? 0) > 0;
  }

  /** Whether a part of an answer was sent, and the rest is due. */
  isAnswering(socket: Socket): boolean {
    const [first] = this.open.get(socket)?.unanswered ?? [];
    return first?.headersSent === true;
  }

  /**
   * Whether nothing is to be expected of a connection that was quiet for a while: its client accepts nothing of what was
   * sent, or no answer is due. An answer that still is being made is no fault of the client.
   */
  isSilent(socket: Socket): boolean {
    return socket.writableLength > 0 || !this.isWaiting(socket);
  }

  /** Counts a request until it is answered; false where its connection is cut, or was. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const kept = this.open.get(socket);
    // What came in the same piece of the network's is read still.
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

/** As Express names them in `trust proxy`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

type LimitOf = (ip: string | undefined) => number;

/** How many connections a client may hold at the same time: more in the networks of venues. */
export function clientConnections({ connectionsPerAddress, limits, trustedNetworks }: AppConfig): LimitOf {
  const venues = new Networks(trustedNetworks);
  return (ip) => (venues.includes(ip) ? connectionsPerAddress * limits.trustedFactor : connectionsPerAddress);
}

/** As `clientConnections`, for who connects to this server: a proxy that is trusted holds those of all its clients. */
export function peerConnections(config: AppConfig): LimitOf {
  const { trustProxy } = config;
  // With a number of proxies, the one that connects is the last of them.
  if (typeof trustProxy === 'number') return () => Infinity;
  const proxies = new Networks(trustProxy === false ? [] : trustProxy.flatMap((one) => NAMED[one] ?? [one]));
  const ofClient = clientConnections(config);
  return (peer) => (proxies.includes(peer) ? Infinity : ofClient(peer));
}
