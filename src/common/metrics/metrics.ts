import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { AppConfig } from '../../config/app-config.js';

const HTTP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What Prometheus reads. Labels take few, fixed values: never an id, an address or a path as it was sent. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  /** Seconds by method, route template and status. */
  readonly httpDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of the answer, by route',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: HTTP_BUCKETS,
    registers: [this.registry],
  });

  constructor(config: AppConfig) {
    // The observers of the process are only worth their cost where somebody reads them.
    if (config.metricsPort !== undefined) collectDefaultMetrics({ register: this.registry });
  }

  /** A value that is asked for whenever Prometheus reads; not a number where it cannot be told just now. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        try {
          this.set(await read());
        } catch {
          this.set(NaN);
        }
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Everything in Prometheus's text format. */
  async text(): Promise<string> {
    return await this.registry.metrics();
  }
}
