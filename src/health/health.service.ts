import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, type HealthIndicatorFunction } from '@nestjs/terminus';
import { answerCache } from '../common/caching/answer-cache.js';
import { VERSION } from '../common/version.js';
import type { HealthReport, UnhealthyReport } from './dto/health.dto.js';
import { Indicators } from './indicators.js';

const KEEP_MS = 1_000;

type Probe = 'all' | 'ready';
type Report = HealthReport | UnhealthyReport;

/** Answers health probes. Concurrent and frequent probes share one check per second. */
@Injectable()
export class HealthService {
  private readonly reports = answerCache<Probe, Report>({ max: 2, keptMs: KEEP_MS }, async (probe) => {
    const report = await this.check(this.parts[probe]);
    if (probe === 'all') report.version = VERSION;
    return report;
  });
  private readonly parts: Record<Probe, HealthIndicatorFunction[]>;

  constructor(
    private readonly health: HealthCheckService,
    indicators: Indicators,
  ) {
    const database = () => indicators.database();
    const relay = () => indicators.relay();
    const followers = () => indicators.followers();
    this.parts = {
      ready: [() => indicators.databaseReady()],
      all: [database, () => indicators.memoryHeap(), () => indicators.redis(), relay, followers],
    };
  }

  /** Checks database, memory and cache, and adds the version. */
  all(): Promise<Report> {
    return this.report('all');
  }

  /**
   * Checks the database, its schema and the queues before it. Does not check Redis, because a Redis outage must not remove
   * every instance from the load balancer.
   */
  ready(): Promise<Report> {
    return this.report('ready');
  }

  private async report(probe: Probe): Promise<Report> {
    const report = await this.reports.fetch(probe);
    if (!report) throw new Error('the health check gave no report');
    return report;
  }

  private async check(parts: HealthIndicatorFunction[]): Promise<Report> {
    try {
      return (await this.health.check(parts)) as HealthReport;
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      return unhealthy(error.getResponse() as HealthCheckResult);
    }
  }
}

/**
 * Converts Terminus's result to the usual error body. Terminus's `error` is an object, so the body contains `details` instead.
 */
function unhealthy({ status, info, error, details }: HealthCheckResult): UnhealthyReport {
  const down = Object.keys(error ?? {});
  return {
    statusCode: 503,
    message: down.length > 0 ? `Down: ${down.join(', ')}` : 'The service is shutting down',
    error: 'Service Unavailable',
    code: 'UNHEALTHY',
    status,
    info: info ?? {},
    details,
  };
}
