import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { AppConfig } from '../../config/app-config.js';
import type { NextFunction, Request, Response } from 'express';

const HTTP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Prometheus metrics. Labels have only a few fixed values, and never contain an id, an address or a raw path. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  /** Seconds per request, by method, route template and status. */
  readonly httpDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of the answer, by route',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: HTTP_BUCKETS,
    registers: [this.registry],
  });

  /** Seconds per call of a payment provider, by provider, call and result. */
  readonly providerDuration = new Histogram({
    name: 'provider_request_duration_seconds',
    help: 'Time that a payment provider took, by call and result',
    labelNames: ['provider', 'call', 'result'] as const,
    buckets: HTTP_BUCKETS,
    registers: [this.registry],
  });

  /** Counts only offline donations. For online donations see `webhookEvents`, and `createPayment` in `providerDuration`. */
  readonly recordings = new Counter({
    name: 'donations_recorded_total',
    help: 'Offline donations by type and result: recorded, or the reason of the refusal',
    labelNames: ['type', 'result'] as const,
    registers: [this.registry],
  });

  /** Age of the last known state that pages show during a database outage. */
  readonly stalePublicReads = new Histogram({
    name: 'public_reads_stale_seconds',
    help: 'Age of public answers that were older than a second because the database did not answer',
    buckets: [2, 5, 10, 20, 30, 45, 60],
    registers: [this.registry],
  });

  readonly webhookEvents = new Counter({
    name: 'webhook_events_total',
    help: 'Webhook events by provider and outcome: booked, unchanged, foreign, repeated, rejected, failed',
    labelNames: ['provider', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly foundEvents = new Counter({
    name: 'webhook_events_found_total',
    help: 'Lost webhook events that reconciliation found, by provider and outcome: booked, unchanged, foreign',
    labelNames: ['provider', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly refusals = new Counter({
    name: 'requests_refused_total',
    help: 'Error answers by code; RATE_LIMITED and TOO_MANY_… are limits',
    labelNames: ['code'] as const,
    registers: [this.registry],
  });

  constructor(config: AppConfig) {
    // Collected only if the metrics port is on, because process metrics cost time.
    if (config.metricsPort !== undefined) collectDefaultMetrics({ register: this.registry });
  }

  /**
   * Counts the requests of a route since the start of this process, and those that took longer.
   * @param seconds a bound of `HTTP_BUCKETS`
   */
  async slowRequests(method: string, route: string, seconds: number): Promise<{ all: number; slow: number }> {
    const { values } = await this.httpDuration.get();
    let all = 0;
    let inTime = 0;
    for (const { metricName, labels, value } of values) {
      if (labels.method !== method || labels.route !== route) continue;
      if (metricName?.endsWith('_count')) all += value;
      else if ('le' in labels && labels.le === seconds) inTime += value;
    }
    return { all, slow: all - inTime };
  }

  /** Registers a value that is read at each scrape. The value is NaN if it is unknown at the moment. */
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

  /** Returns all metrics in Prometheus's text format. */
  async text(): Promise<string> {
    return await this.registry.metrics();
  }
}

/** The status in proxy logs if a client closed the connection before the answer was complete. */
const CLIENT_GONE = 499;

/**
 * Measures every request. The label is the route template, or `locals.route` of the response. Add this handler before all
 * others.
 */
export const timeRequests =
  (metrics: Metrics) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const stop = metrics.httpDuration.startTimer();
    response.once('close', () => {
      const { route } = response.locals as { route?: string };
      const { path = route } = (request.route ?? {}) as { path?: unknown };
      // A path with a wildcard does not count as a route.
      const matched = typeof path === 'string' && !path.includes('*');
      stop({
        method: request.method,
        route: matched ? path : 'unmatched',
        status: response.writableFinished ? response.statusCode : CLIENT_GONE,
      });
    });
    next();
  };
