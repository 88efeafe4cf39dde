import { Injectable } from '@nestjs/common';
import { Heartbeat } from './heartbeat.js';
import { LiveMetrics } from './live-metrics.js';
import { LivePublisher, RoomBroadcaster } from './broadcasts.js';
import type { LiveServer } from './live-socket.js';
import { SlowSockets } from './slow-sockets.js';
import { SocketSessions } from './socket-sessions.js';
import { WallControls } from './wall-controls.js';

/** Everything that works on the socket server by itself, beside the requests of sockets. */
@Injectable()
export class LiveWiring {
  constructor(
    private readonly sessions: SocketSessions,
    private readonly rooms: RoomBroadcaster,
    private readonly publisher: LivePublisher,
    private readonly heartbeat: Heartbeat,
    private readonly slow: SlowSockets,
    private readonly metrics: LiveMetrics,
    private readonly walls: WallControls,
  ) {}

  attach(server: LiveServer): void {
    this.sessions.attach(server);
    this.rooms.attach(server);
    this.publisher.start();
    this.heartbeat.attach(server);
    this.slow.attach(server);
    this.metrics.attach(server);
    this.walls.attach(server);
  }
}
