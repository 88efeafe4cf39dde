import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { LivePublisher, RoomBroadcaster } from './broadcasts.js';
import { Heartbeat } from './heartbeat.js';
import type { LiveServer } from './live-messages.js';
import { SocketSessions } from './socket-sessions.js';
import { StaffRooms } from './staff-rooms.js';
import { WallControls } from './wall-controls.js';

/** Gives the socket server to the services that use it without a client request. */
@Injectable()
export class LiveWiring {
  constructor(
    private readonly sessions: SocketSessions,
    private readonly rooms: RoomBroadcaster,
    private readonly publisher: LivePublisher,
    private readonly heartbeat: Heartbeat,
    private readonly walls: WallControls,
    private readonly staff: StaffRooms,
    private readonly metrics: Metrics,
    relay: OutboxRelay,
  ) {
    metrics.gauge(
      'outbox_relay_leads',
      '1 if this process broadcasts to the walls; exactly one process must',
      () => Number(relay.isLeader),
    );
  }

  attach(server: LiveServer): void {
    this.sessions.attach(server);
    this.rooms.attach(server);
    this.publisher.start();
    this.heartbeat.attach(server);
    this.walls.attach(server);
    this.staff.attach(server);
    this.metrics.gauge(
      'live_sockets',
      'Connected walls and other listeners',
      () => server.sockets.sockets.size,
    );
  }
}
