import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import type { LiveServer } from './live-socket.js';

/** What an operator sees of the live channel of this instance. */
@Injectable()
export class LiveMetrics {
  constructor(
    private readonly metrics: Metrics,
    relay: OutboxRelay,
  ) {
    metrics.gauge(
      'outbox_relay_leads',
      'Whether this process broadcasts to the walls: exactly one must',
      () => Number(relay.isLeader),
    );
  }

  attach(server: LiveServer): void {
    this.metrics.gauge(
      'live_sockets',
      'Connected walls and other listeners',
      () => server.sockets.sockets.size,
    );
  }
}
