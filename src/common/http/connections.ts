import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests of one connection that wait for their answers. Browsers and proxies wait for each; who sends thousands in one go
 * takes the time and the memory of everybody.
 */
const MOST_UNANSWERED = 32;

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

/** The connections of a server, each with its requests that are not answered yet. */
export class Connections {
  private readonly open = new Map<Socket, Kept>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      // Such a one is read from its beginning again when a request offered another protocol.
      if (this.open.has(socket)) return;
      const unanswered = new Set<ServerResponse>();
      const answered = function (this: ServerResponse): void {
        unanswered.delete(this);
      };
      this.open.set(socket, { since: performance.now(), unanswered, answered });
      socket.once('close', () => this.open.delete(socket));
    });
  }

  all(): IterableIterator<[Socket, Connection]> {
    return this.open.entries();
  }

  /** Whether an answer is still due on the connection. */
  isWaiting(socket: Socket): boolean {
    return (this.open.get(socket)?.unanswered.size ?? 0) > 0;
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
