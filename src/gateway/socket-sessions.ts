import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { withCode } from '../common/errors/code-of-status.js';
import { describeError } from '../common/errors/error.filter.js';
import { type Principal, subjectOf } from '../common/access/principal.js';
import type { LiveServer, LiveSocket } from './live-messages.js';

/**
 * Interval of the check for changes without a message: expired tokens, and revocations whose message between processes was
 * lost.
 */
const CHECK_EVERY_MS = 15_000;

/**
 * Checks the sessions of signed-in sockets. When a session ends, its sockets are disconnected. A socket without a token is a
 * public wall, so it is not checked.
 */
@Injectable()
export class SocketSessions implements OnModuleDestroy {
  private readonly logger = new Logger(SocketSessions.name);
  private readonly signedIn = new Set<LiveSocket>();
  private timer: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;

  constructor(private readonly sessions: SessionService) {}

  attach(server: LiveServer): void {
    server.use((socket, next) => {
      const token = tokenOf(socket);
      if (token === undefined) {
        next();
        return;
      }
      this.admit(socket, token).then(
        () => {
          next();
        },
        (error: unknown) => {
          const { body } = describeError(error);
          next(Object.assign(new Error(body.message), { data: withCode(body) }));
        },
      );
    });
    this.stopListening = this.sessions.onRevoked((subject) => {
      void this.check((principal) => subject === subjectOf(principal));
    });
    this.timer = setInterval(() => void this.check(() => true), CHECK_EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.stopListening?.();
  }

  private async admit(socket: LiveSocket, token: string): Promise<void> {
    const principal = await this.sessions.verify(token);
    if (!principal) throw new UnauthorizedError();
    // Checks the connection and not the socket, because a client that leaves during the handshake never had a socket.
    if (socket.conn.readyState !== 'open') return;
    socket.data.principal = principal;
    this.signedIn.add(socket);
    socket.conn.once('close', () => this.signedIn.delete(socket));
  }

  private async check(concerned: (principal: Principal) => boolean): Promise<void> {
    for (const socket of [...this.signedIn]) {
      const { principal } = socket.data;
      if (!principal || !concerned(principal)) continue;
      try {
        if (!(await this.sessions.verify(tokenOf(socket) ?? ''))) socket.disconnect(true);
      } catch (error) {
        // The database does not answer, so the next check tries again.
        this.logger.warn(`Socket session could not be checked: ${(error as Error).message}`);
        return;
      }
    }
  }
}

/** Returns the token from `auth: { token }` of the handshake or from the Authorization header. */
function tokenOf(socket: LiveSocket): string | undefined {
  const { token } = socket.handshake.auth as { token?: unknown };
  if (token !== undefined && token !== null && token !== '')
    return typeof token === 'string' ? token : 'not a token';
  return /^Bearer\s+(\S+)$/i.exec(socket.handshake.headers.authorization ?? '')?.[1];
}
