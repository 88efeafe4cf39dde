import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { AppConfig } from '../../config/app-config.js';
import type { NextFunction, Request, Response } from 'express';

const HTTP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Prometheus metrics. Labels have few, fixed values: never an id, an address or a raw path. */
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

  /** Seconds by provider, call and result. */
  readonly providerDuration = new Histogram({
    name: 'provider_request_duration_seconds',
    help: 'Time that a payment provider took, by call and result',
    labelNames: ['provider', 'call', 'result'] as const,
    buckets: HTTP_BUCKETS,
    registers: [this.registry],
  });

  /** Offline donations only. For online ones see `webhookEvents`, and `createPayment` in `providerDuration`. */
  readonly recordings = new Counter({
    name: 'donations_recorded_total',
    help: 'Offline donations by type and result: recorded, or the reason of the refusal',
    labelNames: ['type', 'result'] as const,
    registers: [this.registry],
  });

  /** Age of the last known state, shown during a database outage. */
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
    // Process metrics cost time: collect them only if the metrics port is on.
    if (config.metricsPort !== undefined) collectDefaultMetrics({ register: this.registry });
  }

  /** Registers a value that is read at each scrape; NaN if it is unknown at the moment. */
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

/** The status that proxies log for a client that closed the connection before the answer was complete. */
const CLIENT_GONE = 499;

/** Measures every request by its route template, or by `locals.route` of its response. Add it first. */
export const timeRequests =
  (metrics: Metrics) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const stop = metrics.httpDuration.startTimer();
    response.once('close', () => {
      const { route } = response.locals as { route?: string };
      const { path = route } = (request.route ?? {}) as { path?: unknown };
      // A wildcard is not a route.
      const matched = typeof path === 'string' && !path.includes('*');
      stop({
        method: request.method,
        route: matched ? path : 'unmatched',
        status: response.writableFinished ? response.statusCode : CLIENT_GONE,
      });
    });
    next();
  };
