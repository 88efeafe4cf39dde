import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { RecordingFailures } from '../common/recording-failures.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import { BOOK_GAUGES, Books } from './books.js';
import { Backlogs } from '../common/concurrency/concurrency.js';

/** Serves `GET /metrics` on a separate port that must not be public. Runs only if `METRICS_PORT` is set. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsServer.name);
  private server: Server | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    { pool }: Database,
    books: Books,
    backlogs: Backlogs,
    failures: RecordingFailures,
  ) {
    metrics.gauge('database_pool_connections', 'Open connections to the database', () => pool.totalCount);
    metrics.gauge('database_pool_idle', 'Unused connections', () => pool.idleCount);
    metrics.gauge('database_pool_waiting', 'Requests that wait for a connection', () => pool.waitingCount);
    metrics.gauge(
      'recording_oldest_seconds',
      'Age of the oldest offline donation that is not written yet',
      () => {
        const ages = backlogs.read().filter(([name]) => name === 'recording');
        return Math.max(0, ...ages.map(([, ageMs]) => ageMs)) / 1_000;
      },
    );
    metrics.gauge(
      'recordings_failing_seconds',
      'Time for which all offline donations have failed to be written; 0 while they succeed',
      () => failures.failingMs / 1_000,
    );
    for (const [name, help, count] of BOOK_GAUGES)
      metrics.gauge(name, help, async () => (await books.read())[count]);
  }

  /** Returns the actual port, even if 0 was configured; undefined without a server. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsHost } = this.config;
    if (metricsPort === undefined) return;
    const server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(metricsPort, metricsHost, resolve);
    });
    this.server = server;
    this.logger.log(`Metrics on port ${String(this.port)}`);
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    try {
      const text = known ? await this.metrics.text() : 'Not Found\n';
      response.writeHead(known ? 200 : 404, {
        'Content-Type': known ? this.metrics.contentType : 'text/plain',
      });
      response.end(text);
    } catch (error) {
      this.logger.error(error);
      response.writeHead(500).end();
    }
  }
}
