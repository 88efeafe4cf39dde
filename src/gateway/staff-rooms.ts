import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { scopeOf } from '../common/access/principal.js';
import type { LiveServer, LiveSocket } from './live-messages.js';

const staffRoomOf = (eventId: string): string => `staff:${eventId}`;

/**
 * One room for the signed-in tills of each event. The only message there says that the till should read its inbox again, so no
 * text of a message leaves the server without a check of the token at that moment.
 */
@Injectable()
export class StaffRooms {
  private server: LiveServer | undefined;

  constructor(private readonly config: AppConfig) {}

  attach(server: LiveServer): void {
    this.server = server;
    server.on('floor.changed', (eventId) => {
      this.nudgeHere(eventId);
    });
  }

  /** Puts the socket of a signed-in member into the room of the event of the sign-in. */
  enter(socket: LiveSocket): void {
    const { principal } = socket.data;
    const scope = principal && scopeOf(principal);
    if (scope?.kind === 'own-event') void socket.join(staffRoomOf(scope.eventId));
  }

  /** Call it after the commit. Tills without a connection read their inbox within 30 seconds anyway. */
  nudge(eventId: string): void {
    if (this.config.redisUrl) this.server?.serverSideEmit('floor.changed', eventId);
    this.nudgeHere(eventId);
  }

  private nudgeHere(eventId: string): void {
    this.server?.local.to(staffRoomOf(eventId)).emit('floor.changed', { eventId });
  }
}
